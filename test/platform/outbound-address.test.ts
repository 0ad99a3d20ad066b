import {
  AddressRefused,
  isPublicAddress,
  publicLookup,
  webhookUrlFault,
} from '../../platform/outbound-address';

describe('addresses that strangers may name', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'not an address',
  ])('do not include %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450::1'])(
    'include %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it('are judged by what a name leads to, when it is looked up', async () => {
    const found = await new Promise((resolve) => {
      publicLookup('localhost', {}, (error) => resolve(error));
    });
    expect(found).toBeInstanceOf(AddressRefused);
  });

  it.each([
    ['nonsense', false],
    ['ftp://example.com', false],
    ['https://a:b@example.com', false],
    ['https://example.com/#here', false],
    ['http://example.com', true],
    ['https://0x7f000001/', true],
    ['https://2130706433/', true],
    ['https://[::ffff:10.0.0.1]/', true],
    ['https://localhost', true],
    ['https://db.internal', true],
    ['https://printer', true],
    ['https://a.localhost.', true],
  ])('are no webhook: %s (strict: %s)', (url, strict) => {
    expect(webhookUrlFault(url, strict)).toEqual(expect.any(String));
  });

  it.each([
    ['http://127.0.0.1:9000/hook', false],
    ['https://example.com/hook?x=1', true],
    ['https://8.8.8.8', true],
  ])('may be a webhook: %s (strict: %s)', (url, strict) => {
    expect(webhookUrlFault(url, strict)).toBeNull();
  });
});

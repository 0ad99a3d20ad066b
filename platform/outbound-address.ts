import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Networks that no stranger's address may lead to: loopback, private, link-local, shared, special, multicast. */
const CLOSED = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  CLOSED.addSubnet(network, prefix, 'ipv4');
}

/** Everything of IPv6 that is not global unicast, or that carries an IPv4 address which a gateway would follow. */
const OPEN_IPV6 = new BlockList();
OPEN_IPV6.addSubnet('2000::', 3, 'ipv6');
const CLOSED_IPV6 = new BlockList();
for (const [network, prefix] of [
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const) {
  CLOSED_IPV6.addSubnet(network, prefix, 'ipv6');
}

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !CLOSED.check(address, 'ipv4');
    case 6:
      return OPEN_IPV6.check(address, 'ipv6') && !CLOSED_IPV6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** A name leads to an address that is closed to strangers. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * What is wrong with the address of a webhook, fit to show; null when nothing is.
 * @param strict - as in production: HTTPS only, and no literal address or name that stays within the network. Names are
 *   looked up when a message is sent, since what they stand for may change
 */
export function webhookUrlFault(text: string, strict: boolean): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'must be a URL';
  }
  if (url.protocol !== 'https:' && (strict || url.protocol !== 'http:'))
    return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.hash !== '') return 'must not have a fragment';
  return strict && !mayLeadOutside(hostOf(url)) ? 'must be a public address' : null;
}

/** Whether a host may be asked at all; a name is judged by what it resolves to, later. */
export function mayLeadOutside(host: string): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes('.') && !/(^|\.)(localhost|local|internal)\.?$/i.test(host);
}

/** The host of a URL, an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/**
 * Resolves names as `dns.lookup` does and refuses those that lead inside. The connection uses the very addresses that
 * were checked, so a name that changes in between leads nowhere else.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error !== null) return callback(error, []);
    const closed = addresses.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses;
    if (closed !== undefined || first === undefined) {
      return callback(new AddressRefused('the name leads to a closed address'), []);
    }
    if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

import fc from 'fast-check';
import { parseTaskId, taskIdOf, taskWorkflowId } from '../../domain/ids';

const UUID = '6b1f7c0e-53a1-4b7e-9d0c-3f1d2a9e8b55';

describe('task ids', () => {
  it('are read back as they were made', () => {
    expect(parseTaskId(taskIdOf(UUID))).toBe(`task_${UUID}`);
  });

  it.each([
    [UUID],
    [`task_${UUID.toUpperCase()}`],
    [`task_${UUID} `],
    ['task_'],
    [''],
    [null],
    [7],
  ])('are not read from %j', (value) => expect(parseTaskId(value)).toBeNull());
});

describe('the id of the workflow that is a task', () => {
  it('is a function of tenant and task id alone (UT-017)', () => {
    const once = taskWorkflowId('acme', taskIdOf(UUID));

    expect(taskWorkflowId('acme', taskIdOf(UUID))).toBe(once);
    expect(once).toBe(`user-task/acme/task_${UUID}`);
  });

  it('stays within what Temporal takes, and tells long tenants apart (UT-017)', () => {
    const long = ['a'.repeat(450), `${'a'.repeat(449)}b`, '%'.repeat(100), 'é'.repeat(450)];
    const ids = long.map((tenant) => taskWorkflowId(tenant, taskIdOf(UUID)));

    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(Buffer.byteLength(id)).toBeLessThan(1000);
  });

  it('of a short tenant is never that of a hashed one (UT-017)', () => {
    const hashed = taskWorkflowId('a'.repeat(450), taskIdOf(UUID));
    const tenant = hashed.split('/')[1]!;

    expect(tenant).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(taskWorkflowId(tenant, taskIdOf(UUID))).not.toBe(hashed);
  });

  it('exists even for a tenant that is no text to store (UT-017)', () => {
    expect(taskWorkflowId('\ud800', taskIdOf(UUID))).toMatch(/^user-task\/sha256:/);
  });

  it('is another for another tenant or task, whatever separators the names hold (UT-017)', () => {
    const tenant = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', 'a/b', 'a%2Fb', `a/task_${UUID}`, 'a|b'),
    );
    fc.assert(
      fc.property(tenant, tenant, fc.uuid(), fc.uuid(), (oneTenant, otherTenant, one, other) => {
        const same = oneTenant === otherTenant && one === other;
        const ids = [
          taskWorkflowId(oneTenant, taskIdOf(one)),
          taskWorkflowId(otherTenant, taskIdOf(other)),
        ];
        expect(ids[0] === ids[1]).toBe(same);
      }),
    );
  });
});

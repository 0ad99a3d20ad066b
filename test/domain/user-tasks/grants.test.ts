import { isGranted, USER_TASK_VERBS, type Permission } from '../../../domain/user-tasks/grants';

describe('grants', () => {
  it.each([
    'user-tasks:view',
    'user-tasks:*',
    'user-tasks/*:view',
    '*:view',
    '*',
    '*:*',
    'user-tasks/*:*',
  ])('%s covers user-tasks:view (UT-208, UT-297)', (grant) =>
    expect(isGranted([grant], 'user-tasks:view')).toBe(true),
  );

  it.each([
    'user-tasks:complete',
    'workflows/*:view',
    'workflows:*',
    'user-tasks/participants:view',
    'user-tasks/participants/*:view',
    'user-task:view',
    'user-tasks2:view',
    'user-/*:view',
    '/*:view',
  ])('%s does not cover user-tasks:view (UT-208, UT-297)', (grant) =>
    expect(isGranted([grant], 'user-tasks:view')).toBe(false),
  );

  it.each([
    'read:user-tasks',
    'not a permission',
    '',
    ':',
    ':view',
    'user-tasks:',
    'user-tasks',
    'user-tasks:view:',
    'user-tasks:view:extra',
    ' user-tasks:view',
    'user-tasks:view ',
    'User-Tasks:view',
    'user-tasks:VIEW',
    'user-tasks/*',
    '**',
    'manage:user-tasks',
  ])('%j covers nothing (UT-057, UT-300)', (grant) => {
    const permissions = [
      ...USER_TASK_VERBS.map((verb): Permission => `user-tasks:${verb}`),
      'user-tasks/participants:view' as const,
    ];
    expect(permissions.filter((permission) => isGranted([grant], permission))).toEqual([]);
  });

  it('let no verb imply another (UT-207)', () => {
    for (const held of USER_TASK_VERBS) {
      const covered = USER_TASK_VERBS.filter((verb) =>
        isGranted([`user-tasks:${held}`], `user-tasks:${verb}`),
      );
      expect(covered).toEqual([held]);
    }
  });

  it('name the verbs of the module (UT-207)', () => {
    expect([...USER_TASK_VERBS].sort()).toEqual(
      ['view', 'update', 'claim', 'complete', 'assign', 'cancel', 'invite', 'supervise'].sort(),
    );
  });

  it.each([
    ['user-tasks/participants:view', true],
    ['user-tasks/*:view', true],
    ['*:view', true],
    ['user-tasks:view', false],
    ['user-tasks:*', false],
    ['user-tasks/participants:*', true],
  ])('%s opens participant lookup: %s (UT-208)', (grant, opens) => {
    expect(isGranted([grant], 'user-tasks/participants:view')).toBe(opens);
  });

  it('cover what any of them covers, and without any nothing', () => {
    expect(isGranted(['workflows:view', 'user-tasks:claim'], 'user-tasks:claim')).toBe(true);
    expect(isGranted([], 'user-tasks:view')).toBe(false);
  });
});

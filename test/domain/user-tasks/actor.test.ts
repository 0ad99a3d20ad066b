import { isManager, parsePerson, subjectOf } from '../../../domain/user-tasks/actor';
import { isGranted } from '../../../domain/user-tasks/grants';
import {
  clerk,
  group,
  manager,
  MANAGER_GRANTS,
  OTHER_TENANT,
  person,
  TENANT,
  user,
} from '../../builders/people';

describe('a manager', () => {
  it('holds the supervise grant (UT-058, UT-209)', () => {
    expect(isManager(manager, TENANT)).toBe(true);
    expect(isManager(person('m', { grants: ['user-tasks:supervise'] }), TENANT)).toBe(true);
  });

  it.each([['user-tasks:*'], ['*:supervise'], ['*'], ['user-tasks/*:supervise']])(
    'may hold it as %s (UT-058, UT-298)',
    (grant) => expect(isManager(person('m', { grants: [grant] }), TENANT)).toBe(true),
  );

  it('is not who holds every other grant, or a role of that name (UT-058, UT-298)', () => {
    const grants = [
      ...MANAGER_GRANTS.filter((grant) => grant !== 'user-tasks:supervise'),
      'user-tasks:manager',
    ];

    expect(isManager(person('m', { grants }), TENANT)).toBe(false);
  });

  it('may see and supervise all by subtree grants (UT-299)', () => {
    const grants = ['user-tasks/*:view', 'user-tasks/*:supervise'];

    expect(isManager(person('m', { grants }), TENANT)).toBe(true);
    expect(isGranted(grants, 'user-tasks:view')).toBe(true);
    expect(isGranted(grants, 'user-tasks:assign')).toBe(false);
  });

  it('is one within the tenant only (UT-209)', () => {
    expect(isManager(manager, OTHER_TENANT)).toBe(false);
  });

  it('is never the system', () => {
    expect(isManager({ kind: 'system' }, TENANT)).toBe(false);
  });
});

describe('the subject of an actor', () => {
  it('is the person, or nobody for the system', () => {
    expect(subjectOf(clerk)).toEqual(user('clerk'));
    expect(subjectOf({ kind: 'system' })).toBeNull();
  });
});

describe('reading a person from a message', () => {
  it('keeps subject, groups and grants as they are (UT-055, UT-403)', () => {
    const sent = person('ann', {
      groups: [group('group,with;delimiters'), group(' finance ')],
      grants: ['a:b', ''],
    });

    expect(parsePerson(sent)).toEqual(sent);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'ann'],
    ['the system', { kind: 'system' }],
    ['an unknown kind', { ...clerk, kind: 'guest' }],
    ['no subject', { ...clerk, subject: null }],
    ['a group as subject', { ...clerk, subject: group('clerks') }],
    ['no list of groups', { ...clerk, groups: 'clerks' }],
    ['a malformed group', { ...clerk, groups: [{ id: 'clerks' }] }],
    ['no list of grants', { ...clerk, grants: 'user-tasks:view' }],
    ['a grant that is no text', { ...clerk, grants: [7] }],
  ])('refuses %s (UT-062)', (_name, value) => {
    expect(parsePerson(value)).toEqual(expect.any(String));
  });
});

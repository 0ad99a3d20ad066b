import fc from 'fast-check';
import type { Instant } from '../../domain/instant';
import type { Person } from '../../domain/user-tasks/actor';
import type { TaskInputs } from '../../domain/user-tasks/definition';
import type { Resolution } from '../../domain/user-tasks/resolution';
import { CLERKS, MANAGER_GRANTS, person } from '../builders/people';
import { enumerating, notEnumerating, pinning, REVIEW_FORM } from '../builders/resolution';
import { CREATED_AT, later } from '../builders/task';

/** Everybody in the model. All grants but the manager's own are everybody's, so that relationships decide. */
const grants = MANAGER_GRANTS.filter((grant) => grant !== 'user-tasks:supervise');
export const CAST = {
  ann: person('ann', { groups: [CLERKS], grants }),
  ben: person('ben', { grants }),
  eve: person('eve', { groups: [CLERKS], grants }),
  max: person('max', { grants: MANAGER_GRANTS }),
} satisfies Record<string, Person>;
export type Name = keyof typeof CAST;
export const NAMES = Object.keys(CAST) as Name[];

export const CLERK_NAMES: Name[] = ['ann', 'eve'];
export const MANAGER_NAME = 'max';

/** What the step that raises the task configures. */
export interface ModelConfig {
  readonly assignee: Name | null;
  readonly candidates: readonly Name[];
  readonly clerks: boolean;
  readonly excluded: readonly Name[];
  readonly override: boolean;
  readonly cancellable: boolean;
  readonly timeout: boolean;
  readonly dueAt: Instant | null;
  /** Whether terminal commands close the task in the same step. */
  readonly closesAtOnce: boolean;
  /** Whether the clerks were enumerated once and for all, instead of being asked for when they act. */
  readonly snapshot: boolean;
  /** Whether the task has a provider's form. */
  readonly form: boolean;
  /** What the outside world answered at activation. */
  readonly outside: Outside;
}

/** What provider and directory answer when they are asked. */
export interface Outside {
  readonly form: 'pinned' | 'form-provider-missing' | 'form-resolution-failed';
  /** Members of the clerks; null while the directory fails. */
  readonly clerks: readonly Name[] | null;
}

/** Any configuration that asks nothing outside. */
export function modelConfig(): fc.Arbitrary<ModelConfig> {
  const some = fc.subarray(NAMES);
  return fc.record({
    assignee: fc.option(fc.constantFrom(...NAMES), { nil: null, freq: 3 }),
    candidates: some,
    clerks: fc.boolean(),
    excluded: fc.subarray(NAMES, { maxLength: 2 }),
    override: fc.boolean(),
    cancellable: fc.boolean(),
    timeout: fc.boolean(),
    dueAt: fc.option(dueDate(), { nil: null }),
    closesAtOnce: fc.boolean(),
    snapshot: fc.constant(false),
    form: fc.constant(false),
    outside: outside(),
  });
}

/** Any configuration with forms and snapshots, resolved or not. */
export function resolvingConfig(): fc.Arbitrary<ModelConfig> {
  return fc
    .tuple(modelConfig(), fc.boolean(), fc.boolean())
    .map(([config, snapshot, form]) => ({ ...config, snapshot, form }));
}

export function outside(): fc.Arbitrary<Outside> {
  return fc.record({
    form: fc.constantFrom('pinned', 'form-provider-missing', 'form-resolution-failed'),
    clerks: fc.option(fc.subarray(CLERK_NAMES), { nil: null, freq: 2 }),
  });
}

/** The answer to whatever a task asks. */
export function answerOf(
  { form, clerks }: Outside,
  asked: { readonly form: boolean; readonly groups: boolean },
  excluded: readonly Name[],
): Partial<Resolution> {
  const eligibleCount = clerks?.filter((name) => !excluded.includes(name)).length ?? 0;
  return {
    ...(asked.form ? (form === 'pinned' ? pinning() : { form: { failure: form } }) : {}),
    ...(asked.groups
      ? clerks === null
        ? notEnumerating()
        : enumerating(clerks.length, { eligibleCount })
      : {}),
  };
}

/** Near the beginning of the task, past or future. */
export function dueDate(): fc.Arbitrary<Instant> {
  return fc.integer({ min: -10, max: 120 }).map((minutes) => later(CREATED_AT, minutes));
}

/** The inputs that make a real task of a configuration. */
export function inputsOf(config: ModelConfig): Partial<TaskInputs> {
  const subjects = (names: readonly Name[]): Person['subject'][] =>
    names.map((name) => CAST[name].subject);
  return {
    assignee: config.assignee === null ? null : CAST[config.assignee].subject,
    candidateUsers: subjects(config.candidates),
    candidateGroups: config.clerks ? [CLERKS] : [],
    excludedUsers: subjects(config.excluded),
    allowManagerExclusionOverride: config.override,
    enableCancellationOutcome: config.cancellable,
    enableTimeoutOutcome: config.timeout,
    dueAt: config.dueAt,
    membershipResolutionMode: config.snapshot ? 'Snapshot' : 'Live',
    form: config.form ? REVIEW_FORM : null,
    actions: [
      { key: 'approve', label: 'Approve', metadata: null, schema: config.form ? null : true },
      { key: 'reject', label: 'Reject', metadata: null, schema: null },
    ],
  };
}

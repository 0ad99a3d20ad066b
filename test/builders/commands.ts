import type { Actor } from '../../domain/user-tasks/actor';
import type {
  AssignCommand,
  CancelCommand,
  ClaimCommand,
  CommandBase,
  CompleteCommand,
  ReleaseCommand,
  RetryResolutionCommand,
  TaskCommand,
  UpdateCommand,
} from '../../domain/user-tasks/commands';
import { clerk } from './people';

/** What a test may say of a command; the rest is filled in. */
export type Overrides<C extends TaskCommand> = Partial<Omit<C, 'kind' | 'actor'>>;

/** `claim(clerk)`, `assign(manager, { assignee })`: a command of one verb, ready to send. */
export type CommandBuilder<C extends TaskCommand> = (by: Actor, overrides?: Overrides<C>) => C;

let submissions = 0;

/** Revision 1, an operation id of its own and no deadline. */
function base(actor: Actor): CommandBase {
  submissions += 1;
  const operationId = `operation-${submissions}`;
  return {
    operationId,
    expectedRevision: 1,
    actor,
    notAfter: null,
    projectedBySender: true,
    entitledBy: null,
  };
}

export const claim: CommandBuilder<ClaimCommand> = (by, overrides) => ({
  kind: 'claim',
  ...base(by),
  ...overrides,
});

export const release: CommandBuilder<ReleaseCommand> = (by, overrides) => ({
  kind: 'release',
  reason: null,
  ...base(by),
  ...overrides,
});

export const assign: CommandBuilder<AssignCommand> = (by, overrides) => ({
  kind: 'assign',
  assignee: clerk.subject,
  reason: null,
  ...base(by),
  ...overrides,
});

/** Changes nothing unless the overrides name `priority` or `dueAt`. */
export const update: CommandBuilder<UpdateCommand> = (by, overrides) => ({
  kind: 'update',
  ...base(by),
  ...overrides,
});

/** Chooses the action of a task that configures none. */
export const complete: CommandBuilder<CompleteCommand> = (by, overrides) => ({
  kind: 'complete',
  actionKey: 'Complete',
  data: null,
  receivedHash: null,
  ...base(by),
  ...overrides,
});

export const cancel: CommandBuilder<CancelCommand> = (by, overrides) => ({
  kind: 'cancel',
  reason: 'no longer needed',
  ...base(by),
  ...overrides,
});

export const retryResolution: CommandBuilder<RetryResolutionCommand> = (by, overrides) => ({
  kind: 'retryResolution',
  ...base(by),
  ...overrides,
});

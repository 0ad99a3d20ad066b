import type { Instant } from '../../domain/instant';
import type { TaskCommand } from '../../domain/user-tasks/commands';
import type { TaskStatus } from '../../domain/user-tasks/task';
import { CREATED_AT, later } from '../builders/task';
import {
  CLERK_NAMES,
  MANAGER_NAME,
  type ModelConfig,
  type Name,
  type Outside,
} from './model-config';

/** What can be seen of a task from outside, through any door. */
export interface TaskView {
  readonly status: TaskStatus;
  readonly revision: number;
  readonly assignee: string | null;
  readonly priority: number;
  readonly dueAt: Instant | null;
}

const FORM_ISSUES = ['form-provider-missing', 'form-resolution-failed'];
const BLOCKING = [...FORM_ISSUES, 'snapshot-resolution-failed'];
const CLOSED: readonly TaskStatus[] = ['Completed', 'TimedOut', 'Cancelled'];
const CLOSING: readonly TaskStatus[] = ['Completing', 'TimingOut', 'Cancelling'];
const ENDS = { Completing: 'Completed', TimingOut: 'TimedOut', Cancelling: 'Cancelled' } as const;

/**
 * A task in the plainest terms, written from the catalogue and from nothing else: what is answered to a message, and
 * what is seen afterwards.
 */
export class TaskModel {
  readonly config: ModelConfig;
  status: TaskStatus;
  revision = 1;
  holder: string | null;
  priority = 50;
  dueAt: Instant | null;
  announced = false;
  /** Codes of what is wrong. */
  readonly issues = new Set<string>();
  /** Members of the clerks as they were enumerated; null while nobody could. */
  members: readonly Name[] | null = null;
  /** Whether a retry has been accepted and not been answered yet. */
  retrying = false;
  now: Instant = CREATED_AT;
  /** Excluded people whom a manager let in, with a reason. */
  readonly letIn = new Set<string>();
  /** Everything that was sent, to be sent again. */
  readonly sent: TaskCommand[] = [];
  readonly #operations = new Map<string, { readonly by: string; readonly content: string }>();

  constructor(config: ModelConfig) {
    this.config = config;
    this.dueAt = config.dueAt;
    this.#learn(config.outside, { form: config.form, groups: this.#enumerates });
    const { assignee } = config;
    const excluded = assignee !== null && config.excluded.includes(assignee);
    if (excluded) this.issues.add('excluded-assignee');
    this.holder = excluded ? null : assignee;
    this.status = this.holder === null ? this.#unheld() : 'Assigned';
  }

  get #enumerates(): boolean {
    return this.config.snapshot && this.config.clerks;
  }

  /** Whether an issue leaves the task to managers. */
  get blocked(): boolean {
    return [...this.issues].some((code) => BLOCKING.includes(code));
  }

  get view(): TaskView {
    const { status, revision, holder: assignee, priority, dueAt } = this;
    return { status, revision, assignee, priority, dueAt };
  }

  get closed(): boolean {
    return CLOSED.includes(this.status);
  }

  get closing(): boolean {
    return CLOSING.includes(this.status);
  }

  isExcluded(name: string): boolean {
    return this.config.excluded.some((excluded) => excluded === name);
  }

  /** The code of the refusal, `repeated`, or null when the message is accepted, which changes the model. */
  receive(command: TaskCommand): string | null {
    this.sent.push(command);
    const by = command.actor.kind === 'person' ? command.actor.subject.id : '';
    const content = contentOf(command);
    const recorded = this.#operations.get(command.operationId);
    if (recorded?.by === by)
      return recorded.content === content ? 'repeated' : 'idempotency-conflict';
    // Everybody has every grant but the one that makes a manager, and that one a retry needs.
    if (command.kind === 'retryResolution' && by !== MANAGER_NAME) return 'permission-denied';
    if (!this.#permits(command, by)) return 'not-found';
    const refusal = this.#refusals(command, recorded !== undefined).find((code) => code !== null);
    if (refusal !== undefined) return refusal;
    this.#operations.set(command.operationId, { by, content });
    this.#apply(command, by);
    return null;
  }

  wait(minutes: number): void {
    this.now = later(this.now, minutes);
  }

  /** The due timer fires. */
  expire(): string | null {
    if (this.dueAt === null || this.dueAt > this.now) return 'timeout-not-due';
    if (this.closed || this.closing) return 'transition-in-progress';
    if (!this.config.timeout && this.announced) return 'timeout-not-due';
    this.revision += 1;
    this.announced = true;
    if (this.config.timeout) this.status = 'TimingOut';
    return null;
  }

  /** The transition ends. */
  finalise(): null {
    this.status = ENDS[this.status as keyof typeof ENDS];
    this.revision += 1;
    return null;
  }

  /** The owner gives up its wait. */
  withdraw(): string | null {
    if (this.closed) return 'terminal';
    if (this.closing) return this.finalise();
    this.status = 'Cancelled';
    this.revision += 1;
    return null;
  }

  /** The outside world has answered to a retry: only what is still wrong was asked. */
  resolve(answer: Outside): null {
    this.retrying = false;
    if (this.closed || this.closing) return null;
    this.revision += 1;
    const groups = this.issues.has('snapshot-resolution-failed');
    this.#learn(answer, { form: FORM_ISSUES.some((code) => this.issues.has(code)), groups });
    if (this.holder === null) this.status = this.#unheld();
    return null;
  }

  #learn({ form, clerks }: Outside, asked: { form: boolean; groups: boolean }): void {
    if (asked.form) {
      for (const code of FORM_ISSUES) this.issues.delete(code);
      if (form !== 'pinned') this.issues.add(form);
    }
    if (!asked.groups) return;
    if (clerks === null) this.issues.add('snapshot-resolution-failed');
    else this.issues.delete('snapshot-resolution-failed');
    this.members = clerks;
  }

  #permits({ kind, entitledBy }: TaskCommand, by: string): boolean {
    // Whether somebody is among the enumerated, their sender says; what it says of a live group is nothing.
    const clerk = this.config.snapshot
      ? entitledBy === 'SnapshotMember'
      : this.config.clerks && CLERK_NAMES.some((name) => name === by);
    const named = this.config.candidates.some((name) => name === by);
    const candidate = !this.isExcluded(by) && (named || clerk);
    const holds = this.holder === by;
    const manages = by === MANAGER_NAME;
    return {
      claim: candidate && !this.blocked,
      release: (holds && !this.blocked) || manages,
      complete: holds && !this.blocked,
      assign: manages,
      update: manages,
      cancel: manages,
      retryResolution: manages,
    }[kind];
  }

  #refusals(command: TaskCommand, idTaken: boolean): readonly (string | null)[] {
    const taken = idTaken ? 'idempotency-conflict' : null;
    const closed = this.closed ? 'terminal' : null;
    const stale = command.expectedRevision === this.revision ? null : 'revision-conflict';
    const closing = this.closing ? 'transition-in-progress' : null;
    const state = [taken, closed, stale, closing];
    switch (command.kind) {
      case 'claim':
        return [...state, this.holder === null ? null : 'not-claimable'];
      case 'release':
        return [...state, this.holder === null ? 'not-assigned' : null];
      case 'assign': {
        const overridden = this.config.override && (command.reason ?? '').trim() !== '';
        const barred = this.isExcluded(command.assignee.id) && !overridden;
        return [
          ...state,
          command.assignee.type === 'group' ? 'invalid-assignee' : null,
          barred ? 'excluded-assignee' : null,
        ];
      }
      case 'update': {
        const { priority, dueAt } = command;
        const outside = priority !== undefined && (priority < 0 || priority > 100);
        const empty = priority === undefined && dueAt === undefined;
        return [...state, empty ? 'invalid-request' : null, outside ? 'invalid-priority' : null];
      }
      case 'complete': {
        const { actionKey, data } = command;
        const reserved = ['Timeout', 'Cancelled'].includes(actionKey) ? 'reserved-action' : null;
        const unknown = ['approve', 'reject'].includes(actionKey) ? null : 'invalid-action';
        const formless = actionKey === 'reject' && !this.config.form;
        const form = formless && data !== null ? 'form-required' : null;
        return [closed, taken, reserved, unknown, form, stale, closing];
      }
      case 'cancel': {
        const reason = command.reason.trim() === '' ? 'reason-required' : null;
        const disabled = this.config.cancellable ? null : 'cancellation-disabled';
        return [reason, disabled, taken, closed, closing, stale];
      }
      case 'retryResolution':
        return [...state, this.retrying ? 'transition-in-progress' : null];
    }
  }

  #apply(command: TaskCommand, by: string): void {
    // A retry is no transition until it is answered.
    if (command.kind !== 'retryResolution') this.revision += 1;
    switch (command.kind) {
      case 'claim':
        this.#hold(by);
        break;
      case 'release':
        this.holder = null;
        this.status = this.#unheld();
        break;
      case 'assign':
        this.#hold(command.assignee.id);
        if (this.isExcluded(command.assignee.id)) this.letIn.add(command.assignee.id);
        break;
      case 'update':
        this.priority = command.priority ?? this.priority;
        if (command.dueAt !== undefined) this.dueAt = command.dueAt;
        if (this.dueAt === null || this.dueAt > this.now) this.announced = false;
        break;
      case 'complete':
      case 'cancel':
        this.status = command.kind === 'complete' ? 'Completing' : 'Cancelling';
        if (this.config.closesAtOnce) this.finalise();
        break;
      case 'retryResolution':
        this.retrying = true;
        break;
    }
  }

  #hold(name: string): void {
    this.holder = name;
    this.status = 'Assigned';
    this.issues.delete('no-assignment');
    this.issues.delete('excluded-assignee');
  }

  #unheld(): TaskStatus {
    const clerks = this.config.snapshot
      ? (this.members ?? []).some((name) => !this.isExcluded(name))
      : this.config.clerks;
    const reachable = clerks || this.config.candidates.some((name) => !this.isExcluded(name));
    if (reachable) this.issues.delete('no-assignment');
    else this.issues.add('no-assignment');
    return reachable ? 'Available' : 'Unassigned';
  }
}

/** What makes two submissions the same: everything but id, sender's deadline and who projects. */
function contentOf(command: TaskCommand): string {
  const { kind, expectedRevision } = command;
  switch (command.kind) {
    case 'claim':
    case 'retryResolution':
      return JSON.stringify([kind, expectedRevision]);
    case 'release':
    case 'cancel':
      return JSON.stringify([kind, expectedRevision, command.reason]);
    case 'assign':
      return JSON.stringify([
        kind,
        expectedRevision,
        command.reason,
        command.assignee.type,
        command.assignee.id,
      ]);
    case 'update':
      return JSON.stringify([
        kind,
        expectedRevision,
        command.priority ?? 'same',
        command.dueAt === undefined ? 'same' : command.dueAt,
      ]);
    case 'complete':
      return JSON.stringify([kind, expectedRevision, command.actionKey, command.data]);
  }
}

import { ApplicationFailure, log, Trigger, uuid4, workflowInfo } from '@temporalio/workflow';
import { instantOf, type Instant } from '../domain/instant';
import type { ActionDefinition } from '../domain/user-tasks/action';
import type { CommandKind, CompleteCommand, TaskCommand } from '../domain/user-tasks/commands';
import { carried } from '../domain/user-tasks/carry';
import { applyDecision, decide, decideSystem, hashesOf } from '../domain/user-tasks/decide/decide';
import type { Decision, DecisionContext, TaskRecord } from '../domain/user-tasks/decide/decision';
import { isRejection } from '../domain/user-tasks/definition';
import { subjectOf } from '../domain/user-tasks/actor';
import {
  OPERATION_KIND,
  withOperation,
  type OperationRecord,
} from '../domain/user-tasks/operation';
import { parseCommand, readableOperationId } from '../domain/user-tasks/parse-command';
import {
  receiptOf,
  receiptOfOperation,
  type Receipt,
  type RunIdentity,
  type TaskSnapshot,
} from '../domain/user-tasks/receipt';
import type { Rejection } from '../domain/user-tasks/rejection';
import {
  isTerminal,
  isTransitional,
  type TaskState,
  type TransitionEvent,
} from '../domain/user-tasks/task';
import { retryInProgress, retryNeeds } from '../domain/user-tasks/decide/retry-resolution';
import { NOTHING_RESOLVED } from '../domain/user-tasks/resolution';
import { resolveNeeds } from './resolving';
import { DueTimer } from './due-timer';
import { durably } from './projecting';
import { showChanged } from './task-visibility';

/**
 * One run of a user task: its state, the receipts that it must project itself, and the commands that wait for an
 * activity. Commands are decided without awaiting; only `work` awaits.
 */
export class TaskRun {
  readonly identity: RunIdentity;
  #record: TaskRecord;
  readonly #timer: DueTimer;
  /** Receipts for the task's own projection, oldest first. */
  readonly #toProject: Receipt[] = [];
  /** Commands whose sender has not validated and hashed them, in order of arrival. */
  readonly #toPrepare: {
    readonly command: TaskCommand;
    readonly decided: (command: TaskCommand | Rejection) => void;
  }[] = [];
  #working = false;

  readonly #resolutionTimeoutMs: number;

  constructor(record: TaskRecord, identity: RunIdentity, resolutionTimeoutMs: number) {
    this.#resolutionTimeoutMs = resolutionTimeoutMs;
    this.#record = record;
    this.identity = identity;
    this.#timer = new DueTimer((dueAt) => this.#expire(dueAt));
  }

  get record(): TaskRecord {
    return this.#record;
  }

  get task(): TaskState {
    return this.#record.task;
  }

  /** Refuses an update before it is written to history. Throws what the sender receives; changes nothing. */
  check(kind: CommandKind, value: unknown): void {
    const command = parseCommand(kind, value);
    if (isRejection(command)) throw failure(command);
    const decision = decide(this.#record, command, this.#context(command));
    if (decision.kind === 'rejected') throw failure(decision.rejection);
  }

  /** Decides an update that was let through; decides again, because replay skips validators. */
  apply(kind: CommandKind, value: unknown): Receipt | Promise<Receipt> {
    const command = parseCommand(kind, value);
    if (isRejection(command)) throw failure(command);
    return this.#needsPreparing(command) ? this.#answerPrepared(command) : this.#answer(command);
  }

  /** Takes a signal. Never throws: what is refused is kept as a rejected operation. @see UT-150, UT-399 */
  receive(kind: CommandKind, value: unknown): void {
    const read = parseCommand(kind, value);
    if (isRejection(read)) return this.#refuseUnread(kind, readableOperationId(value), read);
    const command = { ...read, projectedBySender: false };
    // Behind one that waits for an activity all others wait too: signals are decided in order of arrival.
    if (this.#toPrepare.length === 0 && !this.#needsPreparing(command))
      return this.#settle(command);
    this.#toPrepare.push({
      command,
      decided: (prepared) => this.#settlePrepared(command, prepared),
    });
  }

  snapshot(): TaskSnapshot {
    return {
      record: carried(this.#record),
      workflowId: workflowInfo().workflowId,
      run: this.identity,
    };
  }

  operation(operationId: string): Receipt | null {
    const operation = this.#record.operations.find(
      (candidate) => candidate.operationId === operationId,
    );
    return operation === undefined
      ? null
      : receiptOfOperation(this.#record, operation, this.identity);
  }

  armTimer(): void {
    this.#timer.arm(
      isTerminal(this.task.status) || isTransitional(this.task.status) ? null : this.task.dueAt,
    );
  }

  isClosed(): boolean {
    return isTerminal(this.task.status);
  }

  /** Whether something waits for an activity of the task's own, or for the end of a transition. */
  hasWork(): boolean {
    return (
      this.#toPrepare.length > 0 ||
      this.#toProject.length > 0 ||
      this.#mustResolve() ||
      isTransitional(this.task.status)
    );
  }

  /** Does what waits, one step: prepare a command, project receipts, retry a resolution, or end a transition. */
  async work(): Promise<void> {
    this.#working = true;
    try {
      const waiting = this.#toPrepare[0];
      if (waiting !== undefined) {
        const prepared = await this.#prepare(waiting.command);
        this.#toPrepare.shift();
        waiting.decided(prepared);
      } else if (this.#toProject.length > 0) {
        const batch = this.#toProject.slice();
        await durably.project(batch);
        this.#toProject.splice(0, batch.length);
      } else if (this.#mustResolve()) {
        await this.#retryResolution();
      } else {
        this.#decideSystem({ kind: 'finalise' });
      }
    } finally {
      this.#working = false;
    }
  }

  /** The owner ended or gave up its wait. */
  withdraw(): void {
    if (!isTransitional(this.task.status)) this.#decideSystem({ kind: 'withdraw', cause: 'owner' });
  }

  /** Whether the task ended because its owner did, so that there is no result to give. */
  wasWithdrawn(): boolean {
    return this.task.status === 'Cancelled' && this.task.outcome.completedBy === null;
  }

  #expire(dueAt: Instant): void {
    this.#decideSystem({ kind: 'expire', dueAt });
  }

  #decideSystem(command: Parameters<typeof decideSystem>[1]): void {
    const decision = decideSystem(this.#record, command, { now: now(), canClose: false });
    if (decision.kind === 'accepted') this.#toProject.push(this.#accept(decision));
  }

  #answer(command: TaskCommand): Receipt {
    const decision = decide(this.#record, command, this.#context(command));
    if (decision.kind === 'rejected') throw failure(decision.rejection);
    if (decision.kind === 'repeated')
      return receiptOf(this.#record, [], decision.operation, this.identity);
    const receipt = this.#accept(decision);
    if (!command.projectedBySender) this.#toProject.push(receipt);
    return receipt;
  }

  async #answerPrepared(read: TaskCommand): Promise<Receipt> {
    const command = { ...read, projectedBySender: false };
    const answer = new Trigger<Receipt>();
    const decided = (prepared: TaskCommand | Rejection): void => {
      // Decided here, not after an await, so that nothing comes between two commands that waited.
      try {
        if (isRejection(prepared)) throw failure(prepared);
        answer.resolve(this.#answer(prepared));
      } catch (error) {
        answer.reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    this.#toPrepare.push({ command, decided });
    return answer;
  }

  /** A completion whose data nobody has validated for its form is validated by an activity first. @see UT-392 */
  #needsPreparing(command: TaskCommand): boolean {
    if (command.kind !== 'complete' || command.receivedHash !== null) return false;
    return this.task.form !== null || this.#schemaFor(command) !== null;
  }

  #mustResolve(): boolean {
    return retryInProgress(this.#record) !== null;
  }

  async #retryResolution(): Promise<void> {
    const needs = retryNeeds(this.#record);
    const resolution =
      needs === null
        ? NOTHING_RESOLVED
        : await resolveNeeds(this.task, needs, this.#resolutionTimeoutMs);
    this.#decideSystem({ kind: 'resolve', resolution });
  }

  #schemaFor(command: CompleteCommand): ActionDefinition['schema'] {
    return this.task.inputs.actions.find(({ key }) => key === command.actionKey)?.schema ?? null;
  }

  async #prepare(command: TaskCommand): Promise<TaskCommand | Rejection> {
    if (command.kind !== 'complete' || !this.#needsPreparing(command)) return command;
    return durably.prepareCompletion({
      tenantId: this.task.tenantId,
      command,
      form: this.task.form,
      schema: this.#schemaFor(command),
    });
  }

  #settlePrepared(received: TaskCommand, prepared: TaskCommand | Rejection): void {
    if (isRejection(prepared)) this.#refuse(received, prepared);
    else this.#settle(prepared);
  }

  #settle(command: TaskCommand): void {
    const decision = decide(this.#record, command, { ...this.#context(command), canClose: false });
    if (decision.kind === 'rejected') this.#refuse(command, decision.rejection);
    else if (decision.kind === 'accepted') this.#toProject.push(this.#accept(decision));
    else this.#toProject.push(receiptOf(this.#record, [], decision.operation, this.identity));
  }

  /** Keeps a refused signal as an operation, unless its id already names another. @see UT-150 */
  #refuse(command: TaskCommand, refusal: Rejection): void {
    log.info('a signal was refused', { kind: command.kind, code: refusal.code });
    if (this.#record.operations.some(({ operationId }) => operationId === command.operationId))
      return;
    this.#keep({
      operationId: command.operationId,
      kind: OPERATION_KIND[command.kind],
      subject: subjectOf(command.actor),
      ...hashesOf(command),
      expectedRevision: command.expectedRevision,
      actionKey: null,
      ...this.#refusedNow(refusal),
    });
  }

  /** Keeps a signal that cannot be read, under an id of its own where it names none. @see UT-399 */
  #refuseUnread(kind: CommandKind, named: string | null, refusal: Rejection): void {
    const operationId = named ?? `op_${uuid4()}`;
    log.warn('a signal could not be read', { kind, operationId, code: refusal.code });
    if (this.#record.operations.some((operation) => operation.operationId === operationId)) return;
    const unread = {
      subject: null,
      requestHash: '',
      receivedHash: '',
      expectedRevision: 0,
      actionKey: null,
    };
    this.#keep({
      operationId,
      kind: OPERATION_KIND[kind],
      ...unread,
      ...this.#refusedNow(refusal),
    });
  }

  #refusedNow(refusal: Rejection) {
    const at = now();
    return {
      status: 'Rejected',
      errorCode: refusal.code,
      revision: this.task.revision,
      createdAt: at,
      updatedAt: at,
    } as const;
  }

  #keep(operation: OperationRecord): void {
    this.#record = {
      ...this.#record,
      operations: withOperation(this.#record.operations, operation),
    };
    this.#toProject.push(receiptOf(this.#record, [], operation, this.identity));
  }

  #accept(decision: Extract<Decision, { kind: 'accepted' }>): Receipt {
    const before = this.task;
    this.#record = applyDecision(this.#record, decision);
    this.armTimer();
    showChanged(before, this.task);
    return receiptOf(
      this.#record,
      decision.events satisfies readonly TransitionEvent[],
      decision.operation,
      this.identity,
    );
  }

  /**
   * A task may close in the step that ends it only if its sender projects the end and nothing of its own waits: a
   * projection that the close would cut off is lost.
   */
  #context(command: TaskCommand): DecisionContext {
    return { now: now(), canClose: command.projectedBySender && !this.#working && !this.hasWork() };
  }
}

function now(): Instant {
  return instantOf(Date.now());
}

function failure(refusal: Rejection): ApplicationFailure {
  return ApplicationFailure.nonRetryable(refusal.detail, refusal.code, refusal);
}

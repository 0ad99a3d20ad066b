import assert from 'node:assert/strict';
import type { Instant } from '../../domain/instant';
import type { SystemCommand, TaskCommand } from '../../domain/user-tasks/commands';
import { applyDecision, decide, decideSystem } from '../../domain/user-tasks/decide/decide';
import type {
  Decision,
  DecisionContext,
  TaskRecord,
} from '../../domain/user-tasks/decide/decision';
import { retryNeeds } from '../../domain/user-tasks/decide/retry-resolution';
import { receiptOf } from '../../domain/user-tasks/receipt';
import { NOTHING_RESOLVED } from '../../domain/user-tasks/resolution';
import {
  created,
  evolve,
  isTerminal,
  type CreatedEvent,
  type TaskState,
  type TransitionEvent,
} from '../../domain/user-tasks/task';
import { aTask, later } from '../builders/task';
import { answerOf, inputsOf, type ModelConfig, type Outside } from './model-config';
import type { TaskView } from './task-model';
import type { Answer, LocalTaskUnderTest } from './task-steps';

const RUN = { runId: 'run', lineage: [] };

/** A task run by the domain's functions alone, which holds after every step what must hold of every task. */
export class DomainTask implements LocalTaskUnderTest {
  record: TaskRecord;
  now: Instant;
  readonly #config: ModelConfig;
  readonly #created: CreatedEvent;
  readonly #transitions: TransitionEvent[] = [];

  constructor(config: ModelConfig) {
    const asked = { form: config.form, groups: config.snapshot && config.clerks };
    const resolution = answerOf(config.outside, asked, config.excluded);
    const raised = aTask(inputsOf(config), { resolution });
    this.record = raised.record;
    this.now = raised.now;
    this.#created = raised.createdEvent;
    this.#config = config;
    assertSurvivesJson(raised.createdEvent, this.record);
  }

  get task(): TaskState {
    return this.record.task;
  }

  get view(): TaskView {
    const { status, revision, holding, priority, dueAt } = this.task;
    return { status, revision, assignee: holding?.assignee.id ?? null, priority, dueAt };
  }

  wait(minutes: number): void {
    this.now = later(this.now, minutes);
  }

  send(command: TaskCommand): Answer {
    assertSurvivesJson(command);
    const answer = this.#settle(decide(this.record, command, this.#context));
    if (answer.code === null) this.#assertRepeatable(command);
    return answer;
  }

  tell(what: 'expire' | 'finalise' | 'withdraw'): Answer {
    return this.#settle(decideSystem(this.record, this.#systemCommand(what), this.#context));
  }

  /** The outside world answers to a retry: to what the task asks, and to nothing else. */
  answer(outside: Outside): Answer {
    const needs = retryNeeds(this.record);
    const asked = {
      form: (needs?.form ?? null) !== null,
      groups: (needs?.groups ?? []).length > 0,
    };
    const answered = answerOf(outside, asked, this.#config.excluded);
    const resolution = { ...NOTHING_RESOLVED, ...answered };
    return this.#settle(decideSystem(this.record, { kind: 'resolve', resolution }, this.#context));
  }

  get #context(): DecisionContext {
    return { now: this.now, canClose: this.#config.closesAtOnce };
  }

  #systemCommand(what: 'expire' | 'finalise' | 'withdraw'): SystemCommand {
    const { dueAt } = this.task;
    if (what === 'withdraw') return { kind: what, cause: 'owner' };
    if (what === 'finalise') return { kind: what };
    if (dueAt === null) throw new Error('the task has no due date');
    return { kind: what, dueAt };
  }

  #settle(decision: Decision): Answer {
    const before = this.record;
    const after = applyDecision(before, decision);
    if (decision.kind === 'accepted') {
      const silent = decision.events.length === 0;
      assert.ok(silent || !isTerminal(before.task.status), 'a closed task has no more events');
      assert.equal(after.task.revision, before.task.revision + decision.events.length);
      assert.ok(!silent || decision.operation?.kind === 'RetryResolution');
      this.#transitions.push(...decision.events);
      assert.deepEqual(this.#transitions.reduce(evolve, created(this.#created)), after.task);
      const receipt = receiptOf(after, decision.events, decision.operation, RUN);
      assertSurvivesJson(after, decision, receipt);
    } else {
      assert.equal(after, before, 'what is not accepted changes nothing');
    }
    this.record = after;
    return {
      code: decision.kind === 'rejected' ? decision.rejection.code : null,
      task: this.view,
    };
  }

  /** What was accepted is answered with the same operation when it comes again. */
  #assertRepeatable(command: TaskCommand): void {
    const recorded = this.record.operations.find((one) => one.operationId === command.operationId);
    const again = decide(this.record, structuredClone(command), {
      now: later(this.now, 10_000),
      canClose: this.#config.closesAtOnce,
    });
    assert.deepEqual(again, { kind: 'repeated', operation: recorded });
  }
}

function assertSurvivesJson(...values: readonly unknown[]): void {
  for (const value of values) assert.deepStrictEqual(JSON.parse(JSON.stringify(value)), value);
}

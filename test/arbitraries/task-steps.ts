import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TaskCommand } from '../../domain/user-tasks/commands';
import {
  assign,
  cancel,
  claim,
  complete,
  release,
  retryResolution,
  update,
  type CommandBuilder,
  type Overrides,
} from '../builders/commands';
import { group } from '../builders/people';
import { CAST, dueDate, NAMES, outside, type Name, type Outside } from './model-config';
import type { TaskModel, TaskView } from './task-model';

/** What came back: the code of a refusal or null, and the task as it is seen afterwards if that was shown. */
export interface Answer {
  readonly code: string | null;
  readonly task: TaskView | null;
}

/** A task behind any door that answers at once. */
export interface TaskUnderTest {
  send(command: TaskCommand): Answer;
}

/** A task behind any door that answers later, such as HTTP. */
export interface RemoteTaskUnderTest {
  send(command: TaskCommand): Promise<Answer>;
}

/** A task whose clock and inner life the test holds in its hands. */
export interface LocalTaskUnderTest extends TaskUnderTest {
  wait(minutes: number): void;
  tell(what: 'expire' | 'finalise' | 'withdraw'): Answer;
  answer(outside: Outside): Answer;
}

/** One message to the task, made for the state that the model is in. */
export abstract class Step {
  abstract message(model: TaskModel): TaskCommand;
  abstract toString(): string;

  check(_model: Readonly<TaskModel>): boolean {
    return true;
  }

  /** The answer must be the model's. A repetition is answered like the first time. */
  settle(model: TaskModel, command: TaskCommand, answer: Answer): void {
    const expected = model.receive(command);
    compare(model, expected === 'repeated' ? null : expected, answer);
  }
}

function compare(model: TaskModel, code: string | null, answer: Answer): void {
  assert.equal(answer.code, code);
  if (answer.task !== null) assert.deepEqual(answer.task, model.view);
}

/** Stands for whoever holds the task by then, so that histories get somewhere. */
const HOLDER = 'whoever holds it';

/** What every submission chooses: who, whether at the present revision, and under which id. */
export interface Submission {
  readonly by: Name | typeof HOLDER;
  readonly stale: boolean;
  readonly operationId: string;
}

abstract class VerbStep<
  C extends TaskCommand,
  Content extends Overrides<C> = Overrides<C>,
> extends Step {
  protected abstract readonly verb: CommandBuilder<C>;
  readonly submission: Submission;
  readonly content: Content;

  constructor(submission: Submission, content: Content) {
    super();
    this.submission = submission;
    this.content = content;
  }

  message(model: TaskModel): C {
    const { by, stale, operationId } = this.submission;
    const expectedRevision = stale ? model.revision - 1 : model.revision;
    const overrides = { operationId, expectedRevision, ...this.content } as Overrides<C>;
    const name = by === HOLDER ? (NAMES.find((one) => one === model.holder) ?? 'ann') : by;
    return this.verb(CAST[name], overrides);
  }

  override toString(): string {
    const { by, stale, operationId } = this.submission;
    return `${this.constructor.name}(${by}${stale ? ', stale' : ''}, ${operationId}, ${JSON.stringify(this.content)})`;
  }
}

export class Claim extends VerbStep<ReturnType<typeof claim>> {
  protected readonly verb = claim;
}
export class Release extends VerbStep<ReturnType<typeof release>> {
  protected readonly verb = release;
}
export class Assign extends VerbStep<ReturnType<typeof assign>> {
  protected readonly verb = assign;
}
export class Update extends VerbStep<ReturnType<typeof update>> {
  protected readonly verb = update;
}
export class Complete extends VerbStep<ReturnType<typeof complete>> {
  protected readonly verb = complete;
}
export class Cancel extends VerbStep<ReturnType<typeof cancel>> {
  protected readonly verb = cancel;
}
export class RetryResolution extends VerbStep<ReturnType<typeof retryResolution>> {
  protected readonly verb = retryResolution;
}

/** Sends again, to the letter, something that was sent before. */
export class Repeat extends Step {
  readonly which: number;

  constructor(which: number) {
    super();
    this.which = which;
  }

  override check(model: Readonly<TaskModel>): boolean {
    return model.sent.length > 0;
  }

  message(model: TaskModel): TaskCommand {
    return model.sent[this.which % model.sent.length]!;
  }

  override toString(): string {
    return `Repeat(${this.which})`;
  }
}

function submission(by: fc.Arbitrary<Submission['by']>): fc.Arbitrary<Submission> {
  const fresh = fc.uuid();
  const worn = fc.constantFrom('op-1', 'op-2');
  return fc.record({
    by,
    stale: fc.nat(9).map((n) => n === 0),
    operationId: fc.oneof({ weight: 6, arbitrary: fresh }, { weight: 1, arbitrary: worn }),
  });
}

function byMostlyTheManager(): fc.Arbitrary<Submission> {
  return submission(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('max' as const) },
      { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
    ),
  );
}

/** Every verb whose whole effect is in its answer, by everybody, right and wrong, and repetitions. */
export function steps(): fc.Arbitrary<Step>[] {
  const anybody = submission(fc.constantFrom(...NAMES));
  const entitledBy = fc.constantFrom(null, 'SnapshotMember' as const);
  const mostlyHolder = submission(fc.oneof(fc.constant(HOLDER), fc.constantFrom(...NAMES)));
  const mostlyManager = byMostlyTheManager();
  const reason = fc.constantFrom(null, '', ' ', 'because');
  const assignee = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...NAMES).map((name) => CAST[name].subject) },
    { weight: 1, arbitrary: fc.constant(group('clerks')) },
  );
  const schedule = fc.record(
    { priority: fc.integer({ min: -1, max: 101 }), dueAt: fc.option(dueDate(), { nil: null }) },
    { requiredKeys: [] },
  );
  const choice = fc.record({
    actionKey: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('approve', 'reject') },
      { weight: 1, arbitrary: fc.constantFrom('Timeout', 'Cancelled', 'Approve', '') },
    ),
    data: fc.oneof(fc.constant(null), fc.constant({ amount: 1250 })),
  });
  return [
    fc.tuple(anybody, entitledBy).map(([sent, by]) => new Claim(sent, { entitledBy: by })),
    fc.tuple(mostlyHolder, reason).map(([sent, why]) => new Release(sent, { reason: why })),
    fc
      .tuple(mostlyManager, assignee, reason)
      .map(([sent, to, why]) => new Assign(sent, { assignee: to, reason: why })),
    fc.tuple(mostlyManager, schedule).map(([sent, content]) => new Update(sent, content)),
    fc.tuple(mostlyHolder, choice).map(([sent, content]) => new Complete(sent, content)),
    fc
      .tuple(mostlyManager, fc.constantFrom('', 'because'))
      .map(([sent, why]) => new Cancel(sent, { reason: why })),
    fc.nat(50).map((which) => new Repeat(which)),
  ];
}

/** A step for `fc.modelRun`. */
export class LocalStep implements fc.Command<TaskModel, TaskUnderTest> {
  readonly step: Step;
  constructor(step: Step) {
    this.step = step;
  }
  check(model: Readonly<TaskModel>): boolean {
    return this.step.check(model);
  }
  run(model: TaskModel, real: TaskUnderTest): void {
    const command = this.step.message(model);
    this.step.settle(model, command, real.send(command));
  }
  toString(): string {
    return this.step.toString();
  }
}

/** The same step for `fc.asyncModelRun`. */
export class RemoteStep implements fc.AsyncCommand<TaskModel, RemoteTaskUnderTest> {
  readonly step: Step;
  constructor(step: Step) {
    this.step = step;
  }
  check(model: Readonly<TaskModel>): boolean {
    return this.step.check(model);
  }
  async run(model: TaskModel, real: RemoteTaskUnderTest): Promise<void> {
    const command = this.step.message(model);
    this.step.settle(model, command, await real.send(command));
  }
  toString(): string {
    return this.step.toString();
  }
}

/** Time passes. */
export class Wait implements fc.Command<TaskModel, LocalTaskUnderTest> {
  readonly minutes: number;
  constructor(minutes: number) {
    this.minutes = minutes;
  }
  check(): boolean {
    return true;
  }
  run(model: TaskModel, real: LocalTaskUnderTest): void {
    real.wait(this.minutes);
    model.wait(this.minutes);
  }
  toString(): string {
    return `Wait(${this.minutes})`;
  }
}

/** The task's own timer, the end of its transition, or the end of its owner. */
export class Tell implements fc.Command<TaskModel, LocalTaskUnderTest> {
  readonly what: 'expire' | 'finalise' | 'withdraw';
  constructor(what: 'expire' | 'finalise' | 'withdraw') {
    this.what = what;
  }
  check(model: Readonly<TaskModel>): boolean {
    if (this.what === 'expire') return model.dueAt !== null;
    return this.what === 'withdraw' || model.closing;
  }
  run(model: TaskModel, real: LocalTaskUnderTest): void {
    const answer = real.tell(this.what);
    compare(model, model[this.what](), answer);
  }
  toString(): string {
    return `Tell(${this.what})`;
  }
}

/** The outside world answers to a retry. */
export class Resolved implements fc.Command<TaskModel, LocalTaskUnderTest> {
  readonly outside: Outside;
  constructor(answer: Outside) {
    this.outside = answer;
  }
  check(model: Readonly<TaskModel>): boolean {
    return model.retrying;
  }
  run(model: TaskModel, real: LocalTaskUnderTest): void {
    compare(model, model.resolve(this.outside), real.answer(this.outside));
  }
  toString(): string {
    return `Resolved(${JSON.stringify(this.outside)})`;
  }
}

/** Whatever can happen to a task in one process. */
export function localSteps(): fc.Arbitrary<fc.Command<TaskModel, LocalTaskUnderTest>>[] {
  return [
    ...steps().map((step) => step.map((one) => new LocalStep(one))),
    byMostlyTheManager().map((sent) => new LocalStep(new RetryResolution(sent, {}))),
    outside().map((answer) => new Resolved(answer)),
    fc.integer({ min: 1, max: 40 }).map((minutes) => new Wait(minutes)),
    fc.constantFrom('expire' as const, 'finalise' as const).map((what) => new Tell(what)),
    // Ends most histories, so it must be rare.
    fc.nat(9).map((n) => (n === 0 ? new Tell('withdraw') : new Tell('finalise'))),
  ];
}

/** Whatever can be sent to a task through the network. */
export function remoteSteps(): fc.Arbitrary<RemoteStep>[] {
  return steps().map((step) => step.map((one) => new RemoteStep(one)));
}

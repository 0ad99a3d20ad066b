import fc from 'fast-check';
import {
  allowedActions,
  factsOf,
  relationshipsOf,
  type AllowedAction,
} from '../../../domain/user-tasks/access';
import type { Person } from '../../../domain/user-tasks/actor';
import type { Entitlement, TaskCommand } from '../../../domain/user-tasks/commands';
import { decide } from '../../../domain/user-tasks/decide/decide';
import { retryInProgress } from '../../../domain/user-tasks/decide/retry-resolution';
import { DomainTask } from '../../arbitraries/domain-task';
import {
  CAST,
  modelConfig,
  NAMES,
  resolvingConfig,
  type ModelConfig,
} from '../../arbitraries/model-config';
import { TaskModel } from '../../arbitraries/task-model';
import {
  localSteps,
  remoteSteps,
  type LocalTaskUnderTest,
  type RemoteTaskUnderTest,
} from '../../arbitraries/task-steps';
import {
  assign,
  cancel,
  claim,
  complete,
  release,
  retryResolution,
  update,
} from '../../builders/commands';
import { CLERKS, MANAGER_GRANTS, user } from '../../builders/people';
import { codesOf } from '../../builders/resolution';

type History = Iterable<fc.Command<TaskModel, LocalTaskUnderTest>>;

const histories = (size: fc.SizeForArbitrary): fc.Arbitrary<History> =>
  fc.commands(localSteps(), { size, maxCommands: 60 });

/** Runs a history; the steps compare the task with the model, the task checks itself. */
function live(config: ModelConfig, history: History): { model: TaskModel; real: DomainTask } {
  const setup = { model: new TaskModel(config), real: new DomainTask(config) };
  fc.modelRun(() => setup, history);
  expect(new Set(codesOf(setup.real.task))).toEqual(setup.model.issues);
  return setup;
}

describe('a task through any history of messages', () => {
  it('starts as the catalogue says (UT-026, UT-027, UT-028, UT-029, UT-067, UT-071, UT-390)', () => {
    fc.assert(
      fc.property(resolvingConfig(), (config) =>
        expect(new DomainTask(config).view).toEqual(new TaskModel(config).view),
      ),
    );
  });

  it('answers like the model, raises its revision by one for each event and changes nothing on a refusal; its events alone give its state; everything survives JSON; what was accepted can be repeated (UT-069, UT-070, UT-110, UT-138, UT-142, UT-144, UT-147, UT-148, UT-164, UT-390)', () => {
    fc.assert(
      fc.property(resolvingConfig(), histories('+1'), (config, history) => {
        live(config, history);
      }),
      { numRuns: 1000 },
    );
  });

  it('is never held by an excluded user but by an audited override (UT-072, UT-073, UT-074)', () => {
    fc.assert(
      fc.property(resolvingConfig(), histories('+1'), (config, history) => {
        const { real } = live(config, history);
        for (const event of real.record.events) {
          if (
            event.assignee === null ||
            !config.excluded.some((name) => name === event.assignee?.id)
          )
            continue;
          expect(event).toMatchObject({
            kind: expect.stringMatching(/^(Rea|A)ssigned$/),
            metadata: { exclusionOverridden: true },
          });
          expect(event.reason?.trim()).toBeTruthy();
          expect(config.override).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('closes once and for all, with one terminal event, the last (UT-003, UT-107)', () => {
    const ends = ['Completed', 'TimedOut', 'Cancelled'];
    fc.assert(
      fc.property(resolvingConfig(), histories('+1'), (config, history) => {
        const { real } = live(config, history);
        const terminal = real.record.events.filter(({ kind }) => ends.includes(kind));
        expect(terminal).toHaveLength(real.task.completedAt === null ? 0 : 1);
        if (terminal.length > 0) expect(real.record.events.at(-1)).toBe(terminal[0]);
      }),
      { numRuns: 300 },
    );
  });

  it('announces each overdue occurrence once (UT-127, UT-128)', () => {
    fc.assert(
      fc.property(resolvingConfig(), histories('+1'), (config, history) => {
        const { real } = live(config, history);
        let moved = true;
        for (const { kind } of real.record.events) {
          if (kind === 'ScheduleUpdated') moved = true;
          if (kind !== 'OverdueNotified') continue;
          expect(moved).toBe(true);
          moved = false;
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a task behind a door that answers later', () => {
  it('is held against the same model by the same steps', async () => {
    const history = fc.commands(remoteSteps(), { maxCommands: 30 });
    const untimed = modelConfig().map((config) => ({ ...config, dueAt: null }));
    await fc.assert(
      fc.asyncProperty(untimed, history, async (config, steps) => {
        const task = new DomainTask(config);
        const real: RemoteTaskUnderTest = {
          send: (command) => Promise.resolve(task.send(command)),
        };
        await fc.asyncModelRun(() => ({ model: new TaskModel(config), real }), steps);
      }),
      { numRuns: 100 },
    );
  });
});

describe('allowed actions', () => {
  type Example = (by: Person, base: ExampleBase) => TaskCommand;
  interface ExampleBase {
    readonly expectedRevision: number;
    readonly entitledBy: Entitlement | null;
  }
  /** For each action a command that is in order but for what depends on state, relationship and grants. */
  const EXAMPLES: Record<AllowedAction, Example> = {
    claim: (by, base) => claim(by, base),
    release: (by, base) => release(by, base),
    assign: (by, base) => assign(by, { ...base, assignee: user('somebody') }),
    'update-scheduling': (by, base) => update(by, { ...base, priority: 1 }),
    complete: (by, base) => complete(by, { ...base, actionKey: 'approve' }),
    cancel: (by, base) => cancel(by, base),
    'retry-resolution': (by, base) => retryResolution(by, base),
  };

  it('are exactly what the decision accepts, for anybody with any grants at any point of any history; of retries those that can repair something (UT-218)', () => {
    const anybody = fc.record({
      name: fc.constantFrom(...NAMES),
      grants: fc.subarray([...MANAGER_GRANTS, 'user-tasks:*', '*:view']),
      clerk: fc.boolean(),
      entitledBy: fc.constantFrom(null, 'SnapshotMember' as const),
    });
    fc.assert(
      fc.property(
        resolvingConfig(),
        histories('small'),
        fc.array(anybody, { minLength: 1, maxLength: 4 }),
        (config, history, people) => {
          const { record, now } = live(config, history).real;
          // A second retry is refused while the first is under way, which the task's row does not tell.
          fc.pre(retryInProgress(record) === null);
          const facts = factsOf(record.task);
          for (const { name, grants, clerk, entitledBy } of people) {
            const by: Person = { ...CAST[name], grants, groups: clerk ? [CLERKS] : [] };
            const base = { expectedRevision: record.task.revision, entitledBy };
            const accepted = (Object.keys(EXAMPLES) as AllowedAction[]).filter((action) => {
              const command = EXAMPLES[action](by, base);
              return decide(record, command, { now, canClose: true }).kind === 'accepted';
            });
            const is = relationshipsOf(record.task, by, entitledBy);
            expect([...allowedActions(facts, is, by.grants)].sort()).toEqual(
              accepted.filter((one) => one !== 'retry-resolution' || facts.repairable).sort(),
            );
          }
        },
      ),
      { numRuns: 600 },
    );
  });
});

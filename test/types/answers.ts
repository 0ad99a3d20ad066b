/**
 * What the compiler must accept and refuse of a user task's answer. Compiled by `npm run check` and by
 * `answers.test.ts`, never run: a line marked as an error that compiles is an error itself.
 */
import type { Json } from '../../domain/json';
import { z } from 'zod';
import { defineTask, userTask, type UserTaskInput } from '../../client/workflow';
import type { ParticipantReference } from '../../domain/user-tasks/participant';

// Two types are equal when no conditional type can tell them apart; assignability would let `any` pass.
/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters */
type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function check<_ extends true>(...looked: readonly unknown[]): void;
/* eslint-enable @typescript-eslint/no-unnecessary-type-parameters */

const invoice = defineTask({
  actions: {
    approve: {
      label: 'Approve',
      schema: z.object({ amount: z.number(), note: z.string().default('') }),
    },
    reject: { label: 'Reject', schema: z.object({ reason: z.string() }) },
    ask: { label: 'Ask' },
  },
});
const withTimeout = defineTask({
  actions: { done: { label: 'Done' } },
  enableTimeoutOutcome: true,
});
const withCancellation = defineTask({
  actions: { done: { label: 'Done' } },
  enableCancellationOutcome: true,
});
declare const flag: boolean;

export async function actionKeysAreLiterals(): Promise<void> {
  const answer = await userTask(invoice, { title: 'x' });
  check<Equal<typeof answer.action, 'approve' | 'reject' | 'ask'>>(answer);
  check<Equal<typeof answer.actionKey, 'approve' | 'reject' | 'ask'>>(answer);
  // @ts-expect-error no such action
  if (answer.action === 'aprove') return;
  // @ts-expect-error a timeout that is not enabled never comes
  if (answer.action === 'Timeout') return;
}

export async function eachActionBringsItsData(): Promise<void> {
  const answer = await userTask(invoice, { title: 'x' });
  // @ts-expect-error only one of the actions has an amount
  check(answer.data.amount);
  switch (answer.action) {
    case 'approve':
      check<Equal<typeof answer.data, { amount: number; note: string }>>(answer);
      // @ts-expect-error the data of another action
      check(answer.data.reason);
      break;
    case 'reject':
      check<Equal<typeof answer.data, { reason: string }>>(answer);
      break;
    case 'ask':
      check<Equal<typeof answer.data, Json>>(answer);
      break;
    default:
      check<Equal<typeof answer, never>>(answer);
  }
}

export async function eitherNameTellsTheActionsApart(): Promise<void> {
  const answer = await userTask(invoice, { title: 'x' });
  if (answer.actionKey === 'approve') check<Equal<typeof answer.data.amount, number>>(answer);
  if (answer.actionKey === 'approve') check<Equal<typeof answer.action, 'approve'>>(answer);
}

export async function reservedOutcomesComeWhereTheyAreEnabled(): Promise<void> {
  const timed = await userTask(withTimeout, { title: 'x' });
  check<Equal<typeof timed.action, 'done' | 'Timeout'>>(timed);
  const cancellable = await userTask(withCancellation, { title: 'x' });
  check<Equal<typeof cancellable.action, 'done' | 'Cancelled'>>(cancellable);
  const asked = await userTask(invoice, { title: 'x', enableTimeoutOutcome: true });
  check<Equal<typeof asked.action, 'approve' | 'reject' | 'ask' | 'Timeout'>>(asked);
  const switchedOff = await userTask(withTimeout, { title: 'x', enableTimeoutOutcome: false });
  check<Equal<typeof switchedOff.action, 'done'>>(switchedOff);
}

export async function flagsKnownOnlyLaterCountAsEnabled(): Promise<void> {
  const byInput = await userTask(invoice, { title: 'x', enableCancellationOutcome: flag });
  check<Equal<typeof byInput.action, 'approve' | 'reject' | 'ask' | 'Cancelled'>>(byInput);
  const definition = defineTask({
    actions: { done: { label: 'Done' } },
    enableTimeoutOutcome: flag,
  });
  const byDefinition = await userTask(definition, { title: 'x' });
  check<Equal<typeof byDefinition.action, 'done' | 'Timeout'>>(byDefinition);
}

export async function whoAnsweredIsKnown(): Promise<void> {
  const answer = await userTask(withTimeout, { title: 'x', enableCancellationOutcome: true });
  if (answer.action === 'Timeout') check<Equal<typeof answer.completedBy, null>>(answer);
  else check<Equal<typeof answer.completedBy, ParticipantReference>>(answer);
}

export async function withoutActionsThereIsComplete(): Promise<void> {
  const answer = await userTask(defineTask({ taskType: 'plain' }), { title: 'x' });
  check<Equal<typeof answer.action, 'Complete'>>(answer);
  check<Equal<typeof answer.data, Json>>(answer);
  const empty = await userTask(defineTask({ actions: {} }), { title: 'x' });
  check<Equal<typeof empty.action, 'Complete'>>(empty);
}

export async function racesAndListsKeepTheTypes(): Promise<void> {
  const first = userTask(invoice, { title: 'x' });
  const second = userTask(withTimeout, { title: 'x' });
  const winner = await Promise.race([first, second]);
  check<Equal<typeof winner.action, 'approve' | 'reject' | 'ask' | 'done' | 'Timeout'>>(winner);
  const [one, other] = await Promise.all([first, second]);
  check<Equal<typeof one.action, 'approve' | 'reject' | 'ask'>>(one);
  check<Equal<typeof other.action, 'done' | 'Timeout'>>(other);
  check<Equal<ReturnType<typeof first.cancel>, void>>();
}

export function wrongDefinitionsDoNotCompile(): void {
  // @ts-expect-error a reserved key
  defineTask({ actions: { Timeout: { label: 'x' } } });
  // @ts-expect-error a reserved key in another letter case
  defineTask({ actions: { cancelled: { label: 'x' } } });
  // @ts-expect-error a label is needed
  defineTask({ actions: { approve: {} } });
  // @ts-expect-error a schema is zod's
  defineTask({ actions: { approve: { label: 'x', schema: { type: 'object' } } } });
  // @ts-expect-error no such default
  defineTask({ titel: 'x' });
}

export function wrongInputsDoNotCompile(): void {
  // @ts-expect-error a title is needed
  void userTask(invoice, {});
  // @ts-expect-error no such input
  void userTask(invoice, { title: 'x', dueat: '2030-01-01T00:00:00Z' });
  // @ts-expect-error actions belong to the definition
  void userTask(invoice, { title: 'x', actions: {} });
  // @ts-expect-error task data is JSON
  void userTask(invoice, { title: 'x', taskData: { when: new Date() } });
  const input: UserTaskInput = { title: 'x', dueAt: new Date() };
  void userTask(invoice, input);
}

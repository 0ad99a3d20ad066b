import { isReservedAction } from '../action';
import type { CompleteCommand } from '../commands';
import { MAXIMUM_PAYLOAD_BYTES } from '../limits';
import { jsonBytes, type Json } from '../../json';
import type { FormReference, PinnedForm } from '../form';
import { rejection, type Rejection } from '../rejection';
import type { TaskInputs } from '../definition';
import {
  currentRevision,
  granted,
  idUnusedByOthers,
  inTime,
  notTerminal,
  notTransitional,
  related,
} from './checks';
import type { Check, Verb } from './decision';
import { nextEvent } from './next-event';
import { finalised } from './finalise';

/** The part of a task that says what it takes as data. */
export interface SubmissionRules {
  readonly actions: TaskInputs['actions'];
  /** The provider's form that was asked for, and as it was pinned. */
  readonly formReference: FormReference | null;
  readonly form: PinnedForm | null;
}

/**
 * What is wrong with a submission before its form is asked: size, reserved key, unknown key, data without a form, a form
 * that could not be resolved. Used by the sender before it normalises and by the task before it accepts.
 * @see UT-147
 */
export function refuseSubmission(
  rules: SubmissionRules,
  actionKey: string,
  data: Json,
): Rejection | null {
  if (data !== null && jsonBytes(data) > MAXIMUM_PAYLOAD_BYTES) {
    return rejection('payload-too-large', `data must not exceed ${MAXIMUM_PAYLOAD_BYTES} bytes.`, [
      { pointer: '/data', detail: 'is too large' },
    ]);
  }
  if (isReservedAction(actionKey))
    return rejection('reserved-action', 'This action is reserved and cannot be chosen.');
  const action = rules.actions.find((candidate) => candidate.key === actionKey);
  if (action === undefined)
    return rejection('invalid-action', 'The task offers no such action.', [
      { pointer: '/actionKey', detail: 'is not an action of this task' },
    ]);
  if (rules.formReference !== null) {
    return rules.form === null
      ? rejection('form-resolution-failed', 'The form of this task could not be resolved.')
      : null;
  }
  if (action.schema === null && data !== null) {
    return rejection('form-required', 'This action takes no data: the task has no form for it.', [
      { pointer: '/data', detail: 'must be absent' },
    ]);
  }
  return null;
}

const acceptableSubmission: Check<CompleteCommand> = ({ task }, { actionKey, data }) =>
  refuseSubmission(
    { actions: task.inputs.actions, formReference: task.inputs.form, form: task.form },
    actionKey,
    data,
  );

/** Completion by the assignee. @see UT-103, UT-147 */
export const complete: Verb<CompleteCommand> = {
  checks: [
    granted('complete'),
    related('complete'),
    inTime,
    notTerminal,
    idUnusedByOthers,
    acceptableSubmission,
    currentRevision,
    notTransitional,
  ],
  events: ({ task }, command, context) => {
    const requested = {
      ...nextEvent(task, command, context),
      kind: 'CompletionRequested' as const,
      actionKey: command.actionKey,
      data: command.data,
    };
    return context.canClose ? [requested, ...finalised(task, requested)] : [requested];
  },
};

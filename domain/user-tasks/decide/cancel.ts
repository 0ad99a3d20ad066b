import type { CancelCommand } from '../commands';
import { rejection } from '../rejection';
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
import { finalised } from './finalise';
import { nextEvent } from './next-event';

const withReason: Check<CancelCommand> = (_record, { reason }) =>
  reason.trim() === ''
    ? rejection('reason-required', 'A cancellation needs a reason.', [
        { pointer: '/reason', detail: 'must not be blank' },
      ])
    : null;

const cancellable: Check<CancelCommand> = ({ task }) =>
  task.inputs.enableCancellationOutcome
    ? null
    : rejection('cancellation-disabled', 'This task cannot be cancelled.');

/** Cancellation by a manager, where the step enabled it; state is judged before the revision. @see UT-106, UT-148 */
export const cancel: Verb<CancelCommand> = {
  checks: [
    granted('cancel'),
    related('cancel'),
    inTime,
    withReason,
    cancellable,
    idUnusedByOthers,
    notTerminal,
    notTransitional,
    currentRevision,
  ],
  events: ({ task }, command, context) => {
    const requested = {
      ...nextEvent(task, command, context),
      kind: 'CancellationRequested' as const,
    };
    return context.canClose ? [requested, ...finalised(task, requested)] : [requested];
  },
};

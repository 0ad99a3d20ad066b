import { ApplicationFailure, CancelledFailure, ChildWorkflowFailure } from '@temporalio/common';
import { userTaskRefusal } from '../../client/workflow';
import { rejection } from '../../domain/user-tasks/rejection';

function failedChild(cause: Error): ChildWorkflowFailure {
  const execution = { workflowId: 'w', runId: 'r' };
  return new ChildWorkflowFailure('default', execution, 'userTask', 'NON_RETRYABLE_FAILURE', cause);
}

describe('userTaskRefusal', () => {
  const refused = rejection('invalid-definition', 'title must not be blank');

  it('finds code and text of a refusal in the failure of the child (UT-032)', () => {
    const cause = ApplicationFailure.nonRetryable('any', refused.code, refused);
    expect(userTaskRefusal(failedChild(cause))).toEqual(refused);
    expect(userTaskRefusal(cause)).toEqual(refused);
  });

  it('takes the message where details are missing', () => {
    const cause = ApplicationFailure.nonRetryable('too large', 'payload-too-large');
    expect(userTaskRefusal(cause)).toEqual(rejection('payload-too-large', 'too large'));
  });

  it.each([
    ['a cancellation', failedChild(new CancelledFailure('cancelled'))],
    ['a failure of the owner itself', ApplicationFailure.nonRetryable('no money', 'no-money')],
    ['any error', new Error('invalid-definition')],
    ['nothing', undefined],
  ])('is null for %s', (_what, error) => {
    expect(userTaskRefusal(error)).toBeNull();
  });
});

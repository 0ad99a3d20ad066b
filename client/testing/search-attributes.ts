import { temporal } from '@temporalio/proto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';

/** The search attributes under which tasks are found; a test server begins without them. */
export async function registerSearchAttributes({
  connection,
  namespace,
}: TestWorkflowEnvironment): Promise<void> {
  const { KEYWORD, INT, DATETIME } = INDEXED;
  const searchAttributes = {
    CountersignTenant: KEYWORD,
    CountersignTaskId: KEYWORD,
    CountersignTaskStatus: KEYWORD,
    CountersignTaskType: KEYWORD,
    CountersignAssignee: KEYWORD,
    CountersignPriority: INT,
    CountersignDueAt: DATETIME,
  };
  const request = { namespace: namespace ?? 'default', searchAttributes };
  await connection.operatorService.addSearchAttributes(request).catch((error: unknown) => {
    // Another test of the same server has registered them.
    if (!/already exist/i.test(String(error))) throw error;
  });
}

const INDEXED = {
  KEYWORD: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  INT: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_INT,
  DATETIME: temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
} as const;

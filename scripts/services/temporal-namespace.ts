import type { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { DevStack, SearchAttributeTypeName } from '../dev-stack';
import { LaunchError, lineOf } from '../launch-error';

const secondsPerDay = 86_400;
const { IndexedValueType } = temporal.api.enums.v1;
const indexedTypes = {
  Text: IndexedValueType.INDEXED_VALUE_TYPE_TEXT,
  Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Double: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  Bool: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
  Datetime: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
  KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
} satisfies Record<SearchAttributeTypeName, number>;

/**
 * Sets how long the namespace keeps closed histories; the development server has no flag for it
 * and drops them after a day.
 */
export async function keepHistories(
  connection: Connection,
  namespace: string,
  days: number,
): Promise<void> {
  if ((await retentionDays(connection, namespace)) === days) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: days * secondsPerDay } as never },
  });
}

/** Days for which the namespace keeps closed histories. */
export async function retentionDays(connection: Connection, namespace: string): Promise<number> {
  const found = await connection.workflowService.describeNamespace({ namespace });
  return Number(found.config?.workflowExecutionRetentionTtl?.seconds ?? 0) / secondsPerDay;
}

/**
 * Registers the search attributes that a server lacks which somebody else runs.
 * @returns names that were registered now
 * @throws {LaunchError} in one line when the namespace is missing or registering is not allowed
 */
export async function ensureSearchAttributes(
  connection: Connection,
  namespace: string,
  wanted: DevStack['temporal']['searchAttributes'],
): Promise<string[]> {
  let present: Record<string, unknown>;
  try {
    const found = await connection.operatorService.listSearchAttributes({ namespace });
    present = found.customAttributes;
  } catch (error) {
    throw new LaunchError(
      `Temporal's namespace ${namespace} cannot be used (${lineOf(error)}); make it with ` +
        `"temporal operator namespace create -n ${namespace}" or choose one with TEMPORAL_NAMESPACE.`,
      { cause: error },
    );
  }
  const missing = Object.entries(wanted).filter(([name]) => !(name in present));
  if (missing.length === 0) return [];
  const flags = missing.map(([name, type]) => `--name ${name} --type ${type}`).join(' ');
  try {
    await addSearchAttributes(connection, namespace, Object.fromEntries(missing));
  } catch (error) {
    throw new LaunchError(
      `Search attributes are missing in namespace ${namespace} and could not be added ` +
        `(${lineOf(error)}); add them: temporal operator search-attribute create ${flags}`,
      { cause: error },
    );
  }
  return missing.map(([name]) => name);
}

/** Registers search attributes, none of which the namespace may have yet. */
export async function addSearchAttributes(
  connection: Connection,
  namespace: string,
  wanted: DevStack['temporal']['searchAttributes'],
): Promise<void> {
  const types = Object.entries(wanted).map(([name, type]) => [name, indexedTypes[type]] as const);
  const searchAttributes = Object.fromEntries(types);
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}

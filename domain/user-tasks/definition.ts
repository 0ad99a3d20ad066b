import { DUE_AT_FORMS, instantWithoutZone, parseDueAt, type LocalDateTime } from '../due-at';
import type { Instant } from '../instant';
import { isJson, isRecord, isStorableText, jsonBytes, utf8Bytes, type Json } from '../json';
import { DEFAULT_ACTION, RESERVED_ACTIONS, type ActionDefinition } from './action';
import { parseFormReference, type FormReference } from './form';
import { MAXIMUM_PAYLOAD_BYTES } from './limits';
import { distinctParticipants, parseParticipant, type ParticipantReference } from './participant';
import { rejection, type Rejection, type RejectionCode } from './rejection';

/**
 * Everything the owner's step gave, evaluated once and frozen into the task. Of these only priority and due date change
 * later, and they change in the task's state: here they stay as given.
 * @see UT-014, UT-035
 */
export interface TaskInputs {
  readonly title: string;
  readonly summary: string | null;
  readonly reference: string | null;
  readonly tags: readonly string[];
  readonly taskType: string | null;
  readonly requester: ParticipantReference | null;
  readonly assignee: ParticipantReference | null;
  readonly candidateUsers: readonly ParticipantReference[];
  readonly candidateGroups: readonly ParticipantReference[];
  readonly excludedUsers: readonly ParticipantReference[];
  /** Whether a group's members are asked for when they act (Live), or once, at activation (Snapshot). @see UT-063, UT-066 */
  readonly membershipResolutionMode: MembershipResolutionMode;
  readonly allowManagerExclusionOverride: boolean;
  /** 0 to 100, 50 unless given. */
  readonly priority: number;
  /** As it was understood: a duration counts from creation, a local date until its day has ended. */
  readonly dueAt: Instant | null;
  /** Protected; up to {@link MAXIMUM_PAYLOAD_BYTES} of UTF-8. */
  readonly instructions: string | null;
  /** Protected; up to {@link MAXIMUM_PAYLOAD_BYTES} of serialised JSON. */
  readonly taskData: Json;
  /** A provider's form; actions with schemas of their own need none. Protected. */
  readonly form: FormReference | null;
  readonly actions: readonly ActionDefinition[];
  readonly enableTimeoutOutcome: boolean;
  readonly enableCancellationOutcome: boolean;
}

export type MembershipResolutionMode = 'Live' | 'Snapshot';

/** What an activation must ask of the outside world before the task can be. */
export interface ResolutionNeeds {
  readonly form: FormReference | null;
  /** Groups whose members are to be enumerated. */
  readonly groups: readonly ParticipantReference[];
  readonly excludedUsers: readonly ParticipantReference[];
  readonly dueAt: LocalDateTime | null;
}

/** What inputs are read with. */
export interface InputContext {
  readonly tenantId: string;
  /** When the task is created: where a duration counts from. */
  readonly now: Instant;
  /** The instant of a due date given as local date and zone, once it is resolved. */
  readonly resolvedDueAt: Instant | 'invalid' | null;
}

/** Longest texts in characters. @see UT-014, UT-288 */
export const TEXT_LIMITS = {
  title: 500,
  summary: 4000,
  reference: 500,
  taskType: 200,
  actionKey: 200,
  tag: 200,
} as const;
const MAXIMUM_TAGS = 100;
const MAXIMUM_PARTICIPANTS = 1000;

class Refused extends Error {
  readonly code: RejectionCode;
  constructor(code: RejectionCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

/**
 * Reads what a step gave, fills in the defaults and removes duplicates. A refusal names the input and never repeats its
 * value, which may be protected.
 * Every participant must belong to the task's tenant.
 * @see UT-014, UT-030..033, UT-384
 */
export function parseInputs(value: unknown, context: InputContext): TaskInputs | Rejection {
  if (!isRecord(value))
    return rejection('invalid-definition', 'the inputs of a user task must be an object');
  try {
    return readInputs(value, context);
  } catch (error) {
    if (error instanceof Refused) return rejection(error.code, error.message);
    throw error;
  }
}

/** Whether the outcome of a parse is a refusal. */
export function isRejection(value: object): value is Rejection {
  return 'code' in value && 'detail' in value;
}

/**
 * What must be asked before the inputs can become a task, or null for nothing.
 * @see UT-385
 */
export function resolutionNeeds(inputs: TaskInputs, given: unknown): ResolutionNeeds | null {
  const due = isRecord(given) ? parseDueAt(given['dueAt']) : null;
  const needs: ResolutionNeeds = {
    form: inputs.form,
    groups: inputs.membershipResolutionMode === 'Snapshot' ? inputs.candidateGroups : [],
    excludedUsers: inputs.excludedUsers,
    dueAt: due?.kind === 'local' ? due.local : null,
  };
  return needs.form === null && needs.groups.length === 0 && needs.dueAt === null ? null : needs;
}

function readInputs(value: Readonly<Record<string, unknown>>, context: InputContext): TaskInputs {
  const { tenantId } = context;
  const title = text(value, 'title', TEXT_LIMITS.title);
  if (title === null || title.trim() === '')
    throw new Refused('invalid-definition', 'title must not be blank');
  const mode = value['membershipResolutionMode'] ?? 'Live';
  if (mode !== 'Live' && mode !== 'Snapshot') {
    throw new Refused(
      'invalid-definition',
      "membershipResolutionMode must be 'Live' or 'Snapshot'",
    );
  }
  const form = formReference(value['form'] ?? null);
  const offered = actions(value['actions'] ?? []);
  if (form !== null && offered.some(({ schema }) => schema !== null)) {
    throw new Refused(
      'invalid-definition',
      "a task has a provider's form or actions with schemas, not both",
    );
  }
  return {
    title,
    summary: text(value, 'summary', TEXT_LIMITS.summary),
    reference: text(value, 'reference', TEXT_LIMITS.reference),
    tags: tags(value['tags'] ?? []),
    taskType: text(value, 'taskType', TEXT_LIMITS.taskType),
    requester: participant(value, 'requester', tenantId, null),
    assignee: participant(value, 'assignee', tenantId, 'user'),
    candidateUsers: participants(value, 'candidateUsers', tenantId, 'user'),
    candidateGroups: participants(value, 'candidateGroups', tenantId, 'group'),
    excludedUsers: participants(value, 'excludedUsers', tenantId, 'user'),
    membershipResolutionMode: mode,
    allowManagerExclusionOverride: flag(value, 'allowManagerExclusionOverride'),
    priority: priority(value['priority'] ?? 50),
    dueAt: dueAt(value['dueAt'] ?? null, context),
    instructions: instructions(value),
    taskData: taskData(value['taskData'] ?? null),
    form,
    actions: offered,
    enableTimeoutOutcome: flag(value, 'enableTimeoutOutcome'),
    enableCancellationOutcome: flag(value, 'enableCancellationOutcome'),
  };
}

function text(
  value: Readonly<Record<string, unknown>>,
  name: string,
  limit: number,
): string | null {
  const given = value[name] ?? null;
  if (given === null) return null;
  if (typeof given !== 'string')
    throw new Refused('invalid-definition', `${name} must be a string`);
  if (given.length > limit)
    throw new Refused('invalid-definition', `${name} must not exceed ${limit} characters`);
  if (!isStorableText(given)) {
    throw new Refused(
      'invalid-definition',
      `${name} must not contain U+0000 or half of a surrogate pair`,
    );
  }
  return given;
}

function flag(value: Readonly<Record<string, unknown>>, name: string): boolean {
  const given = value[name] ?? false;
  if (typeof given !== 'boolean')
    throw new Refused('invalid-definition', `${name} must be true or false`);
  return given;
}

/** Tags are a case-insensitive set: the first spelling stays. */
function tags(value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every((tag) => typeof tag === 'string')) {
    throw new Refused('invalid-definition', 'tags must be a list of strings');
  }
  if (value.length > MAXIMUM_TAGS)
    throw new Refused('invalid-definition', `at most ${MAXIMUM_TAGS} tags`);
  const seen = new Map<string, string>();
  for (const tag of value as readonly string[]) {
    if (tag.trim() === '' || tag.length > TEXT_LIMITS.tag || !isStorableText(tag)) {
      throw new Refused(
        'invalid-definition',
        `a tag must not be blank nor exceed ${TEXT_LIMITS.tag} characters`,
      );
    }
    if (!seen.has(tag.toLowerCase())) seen.set(tag.toLowerCase(), tag);
  }
  return [...seen.values()];
}

function priority(value: unknown): number {
  if (!isPriority(value))
    throw new Refused('invalid-definition', 'priority must be an integer from 0 to 100');
  return value;
}

/** Whether `value` is a priority: an integer from 0 to 100. @see UT-122 */
export function isPriority(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 100;
}

function dueAt(value: unknown, context: InputContext): Instant | null {
  if (value === null) return null;
  const input = parseDueAt(value);
  if (input === null || context.resolvedDueAt === 'invalid') {
    throw new Refused('invalid-definition', `dueAt must be ${DUE_AT_FORMS}`);
  }
  try {
    return instantWithoutZone(input, context.now) ?? context.resolvedDueAt;
  } catch (error) {
    if (error instanceof RangeError)
      throw new Refused('invalid-definition', 'dueAt is out of range');
    throw error;
  }
}

function formReference(value: unknown): FormReference | null {
  if (value === null) return null;
  const read = parseFormReference(value);
  if (typeof read === 'string') throw new Refused('invalid-definition', `form: ${read}`);
  return read;
}

function instructions(value: Readonly<Record<string, unknown>>): string | null {
  const given = text(value, 'instructions', Number.MAX_SAFE_INTEGER);
  if (given !== null && utf8Bytes(given) > MAXIMUM_PAYLOAD_BYTES) {
    throw new Refused(
      'payload-too-large',
      `instructions must not exceed ${MAXIMUM_PAYLOAD_BYTES} bytes`,
    );
  }
  return given;
}

function taskData(value: unknown): Json {
  if (!isJson(value)) throw new Refused('invalid-definition', 'taskData must be plain JSON');
  if (jsonBytes(value) > MAXIMUM_PAYLOAD_BYTES) {
    throw new Refused(
      'payload-too-large',
      `taskData must not exceed ${MAXIMUM_PAYLOAD_BYTES} bytes`,
    );
  }
  return value;
}

function actions(value: unknown): readonly ActionDefinition[] {
  if (!Array.isArray(value)) throw new Refused('invalid-definition', 'actions must be a list');
  const read = value.map((item) => action(item));
  const keys = read.map((item) => item.key.toLowerCase());
  if (new Set(keys).size !== keys.length) {
    throw new Refused('invalid-definition', 'action keys must be unique, whatever their case');
  }
  if (jsonBytes(read) > MAXIMUM_PAYLOAD_BYTES) {
    throw new Refused(
      'payload-too-large',
      `actions with their schemas must not exceed ${MAXIMUM_PAYLOAD_BYTES} bytes`,
    );
  }
  return read.length === 0 ? [DEFAULT_ACTION] : read;
}

function action(value: unknown): ActionDefinition {
  if (!isRecord(value)) throw new Refused('invalid-definition', 'an action must be { key, label }');
  const { key, label, metadata = null, schema = null } = value;
  if (typeof key !== 'string' || key.trim() === '')
    throw new Refused('invalid-definition', 'an action key must not be blank');
  if (key.length > TEXT_LIMITS.actionKey || !isStorableText(key)) {
    throw new Refused(
      'invalid-definition',
      `an action key must not exceed ${TEXT_LIMITS.actionKey} characters`,
    );
  }
  if (typeof label !== 'string' || label.trim() === '') {
    throw new Refused('invalid-definition', 'an action label must not be blank');
  }
  if (label.length > TEXT_LIMITS.title || !isStorableText(label)) {
    throw new Refused(
      'invalid-definition',
      `an action label must not exceed ${TEXT_LIMITS.title} characters`,
    );
  }
  if (RESERVED_ACTIONS.some((reserved) => reserved.toLowerCase() === key.toLowerCase())) {
    throw new Refused(
      'invalid-definition',
      `the action keys ${RESERVED_ACTIONS.join(' and ')} are reserved`,
    );
  }
  if (!isJson(metadata))
    throw new Refused('invalid-definition', 'action metadata must be plain JSON');
  if (schema !== null && typeof schema !== 'boolean' && !(isRecord(schema) && isJson(schema))) {
    throw new Refused('invalid-definition', 'an action schema must be a JSON Schema');
  }
  return { key, label, metadata, schema: schema };
}

function participant(
  value: Readonly<Record<string, unknown>>,
  name: string,
  tenantId: string,
  type: 'user' | 'group' | null,
): ParticipantReference | null {
  const given = value[name] ?? null;
  return given === null ? null : reference(given, name, tenantId, type);
}

function participants(
  value: Readonly<Record<string, unknown>>,
  name: string,
  tenantId: string,
  type: 'user' | 'group',
): readonly ParticipantReference[] {
  const given = value[name] ?? [];
  if (!Array.isArray(given))
    throw new Refused('invalid-definition', `${name} must be a list of participants`);
  if (given.length > MAXIMUM_PARTICIPANTS) {
    throw new Refused(
      'invalid-definition',
      `${name} must not exceed ${MAXIMUM_PARTICIPANTS} entries`,
    );
  }
  return distinctParticipants(given.map((item) => reference(item, name, tenantId, type)));
}

function reference(
  value: unknown,
  name: string,
  tenantId: string,
  type: 'user' | 'group' | null,
): ParticipantReference {
  const read = parseParticipant(value);
  if (typeof read === 'string') throw new Refused('invalid-definition', `${name}: ${read}`);
  if (type !== null && read.type !== type)
    throw new Refused('invalid-definition', `${name} must name a ${type}`);
  if (read.tenantId !== tenantId) {
    throw new Refused('cross-tenant-participant', `${name} names a participant of another tenant`);
  }
  return read;
}

/**
 * The hot statements of the projection: one round trip each, every part guarded, so that a receipt may arrive twice, late
 * or out of order. Their first parameter is one JSON document (`project.ts` builds it). Protected JSON comes in
 * parameters of its own, as text that is cast and never looked into: it may hold U+0000 and halves of surrogate pairs,
 * which the type `json` stores but no operator on a document with them survives.
 */

const eventColumns = `tenant_id, task_id, epoch, revision, ordinal, id, event_type, occurred_at, actor, operation_id, reason, metadata`;

/** Columns of `json_to_recordset(r->'events')`. */
const eventRecord = `e(revision integer, kind text, "occurredAt" timestamptz, actor jsonb, "actorKey" text, "assigneeKey" text,
  "operationId" text, reason text, metadata jsonb)`;

/** Opaque and the same whenever the event is projected again. */
const eventId = (epoch: string): string =>
  `'evt_' || substr(encode(sha256(convert_to(concat_ws(':', i.task_id, ${epoch}, e.revision, 0), 'UTF8')), 'hex'), 1, 32)`;

const insertEvents = (from: string, epoch: string): string => `
  insert into user_task_events (${eventColumns})
  select i.tenant_id, i.task_id, ${epoch}, e.revision, 0, ${eventId(epoch)}, e.kind, e."occurredAt", e.actor,
         e."operationId", e.reason, e.metadata
  from ${from}, json_to_recordset(i.r->'events') as ${eventRecord}
  where not exists (
    select from user_task_events k where k.tenant_id = i.tenant_id and k.task_id = i.task_id and k.epoch < ${epoch}
      and k.revision = e.revision and k.event_type = e.kind and k.occurred_at = e."occurredAt")
  on conflict do nothing
  returning revision`;

/** Told once, with the event that gives it to tell: a repeated projection adds no event and tells nothing. */
const insertNotifications = (from: string, epoch: string): string => `
  insert into user_task_notifications (tenant_id, id, task_id, type, status, revision, data, occurred_at)
  select i.tenant_id,
    'ntf_' || substr(encode(sha256(convert_to(concat_ws(':', i.task_id, ${epoch}, n.revision, n.index), 'UTF8')), 'hex'), 1, 32),
    i.task_id, n.type, n.status, n.revision, n.data, n."occurredAt"
  from ${from}, json_to_recordset(i.r->'notifications')
    as n(type text, revision integer, status text, "occurredAt" timestamptz, index integer, data jsonb)
  where n.revision in (select revision from events)
  order by n.revision, n.index
  on conflict do nothing`;

const insertParticipations = (from: string): string => `
  insert into user_task_participations (tenant_id, task_id, participant_key, role)
  select distinct i.tenant_id, i.task_id, p.key, p.role
  from ${from}, json_to_recordset(i.r->'events') as ${eventRecord},
       lateral (values (e."actorKey", 'acted'), (e."assigneeKey", 'held')) as p(key, role)
  where p.key is not null
  on conflict do nothing`;

const insertHealth = (from: string): string => `
  insert into user_task_health_issues (tenant_id, task_id, code, severity, message, since)
  select i.tenant_id, i.task_id, h.code, h.severity, h.message, h.since
  from ${from}, json_to_recordset(i.r->'task'->'health') as h(code text, severity text, message text, since timestamptz)
  on conflict (tenant_id, task_id, code) do update
    set severity = excluded.severity, message = excluded.message, since = excluded.since`;

/** An operation moves forward only: Pending, then Accepted, then its end. */
const upsertOperations = (from: string): string => `
  insert into user_task_operations as op
    (tenant_id, task_id, operation_id, kind, subject, subject_key, request_hash, received_hash, expected_revision, status,
     error_code, action_key, revision, created_at, updated_at)
  select i.tenant_id, i.task_id, o."operationId", o.kind, o.subject, o."subjectKey", o."requestHash", o."receivedHash",
         o."expectedRevision", o.status, o."errorCode", o."actionKey", o.revision, o."createdAt", o."updatedAt"
  from ${from}, json_to_recordset(i.r->'operations') as o("operationId" text, kind text, subject jsonb, "subjectKey" text,
       "requestHash" text, "receivedHash" text, "expectedRevision" integer, status text, "errorCode" text,
       "actionKey" text, revision integer, "createdAt" timestamptz, "updatedAt" timestamptz)
  on conflict (tenant_id, task_id, operation_id) do update
    set kind = excluded.kind, subject = excluded.subject, subject_key = excluded.subject_key,
        request_hash = excluded.request_hash, received_hash = excluded.received_hash,
        expected_revision = excluded.expected_revision, status = excluded.status, error_code = excluded.error_code,
        action_key = excluded.action_key, revision = excluded.revision, created_at = excluded.created_at,
        updated_at = excluded.updated_at, via = null, not_after = null, sent_at = null, command = null
    where op.status = 'Pending' or (op.status = 'Accepted' and excluded.status <> 'Accepted')`;

/** Whether a task with this status and health can be claimed at all. */
const open = (status: string, blocked: string): string =>
  `(${status} in ('Available', 'Unassigned') and not ${blocked})`;

/** Whether a candidate of this source may claim under this membership: groups under Live, their members under Snapshot. @see UT-069 */
const entitles = (mode: string, source: string): string =>
  `(${source} = 'DirectUser' or ${source} = case when ${mode} = 'Snapshot' then 'SnapshotMember' else 'DirectGroup' end)`;

/** A member who is a candidate by name needs no second row: one row for each key keeps pages of lists whole. */
const namedAlready = `select from user_task_candidates d
      where d.tenant_id = m.tenant_id and d.task_id = m.task_id and d.participant_key = m.participant_key
        and d.source = 'DirectUser'`;

/** Rows of the list of members of this id; the condition may go on. */
const members = (snapshotId: string): string => `user_task_snapshot_members m
    where m.tenant_id = i.tenant_id and m.task_id = i.task_id and m.snapshot_id = ${snapshotId}`;

const received = open(`(i.r->'task'->>'status')`, `(i.r->'task'->>'blocked')::boolean`);

const incoming = `incoming as (
  select r, r->>'tenantId' as tenant_id, r->>'taskId' as task_id, (r->'task'->>'revision')::integer as revision,
         r->>'runId' as run_id, array(select json_array_elements_text(r->'lineage')) as lineage
  from (select $1::json as r) as given)`;

/**
 * Applies one receipt. Answers `applied`, `not-applied` (the row is as new or newer; missing events and the operation
 * are still written), `absent` (no such row) or `other-run` (from a run that neither is the row's nor continues it nor
 * was continued by it; nothing is written). Parameters: document, completion data or null.
 */
export const APPLY_RECEIPT = `
with ${incoming},
present as (
  select t.epoch, t.status, t.blocked, t.membership_mode, t.priority, t.due_at, t.created_at,
         t.run_id = i.run_id or t.run_id = any(i.lineage) or i.run_id = any(t.run_lineage) as continues
  from user_tasks t join incoming i on t.tenant_id = i.tenant_id and t.id = i.task_id
  for update of t),
accepted as (
  select i.*, p.epoch, p.membership_mode,
    -- A list that a later retry has replaced stays replaced, however late this receipt comes.
    case when i.r->>'snapshotId' is null then null when not exists (
      select from user_task_events e
      where e.tenant_id = i.tenant_id and e.task_id = i.task_id and e.epoch = p.epoch and e.revision > i.revision
        and e.event_type = 'ResolutionRetried')
    then i.r->>'snapshotId' end as snapshot_id
  from incoming i, present p where p.continues),
enumerated as (
  select i.tenant_id, i.task_id,
    (select count(*) from user_task_candidates c where c.tenant_id = i.tenant_id and c.task_id = i.task_id and c.source = 'DirectUser')
    + (select count(*) from ${members('i.snapshot_id')} and not exists (
        select from user_task_candidates c where c.tenant_id = i.tenant_id and c.task_id = i.task_id
          and c.source = 'DirectUser' and c.participant_key = m.participant_key)) as user_count
  from accepted i where i.snapshot_id is not null),
changed as (
  update user_tasks t set
    run_id = i.run_id, run_lineage = i.lineage, revision = i.revision,
    status = i.r->'task'->>'status', priority = (i.r->'task'->>'priority')::integer,
    due_at = (i.r->'task'->>'dueAt')::timestamptz, updated_at = (i.r->'task'->>'updatedAt')::timestamptz,
    assignee = nullif((i.r->'task'->'assignee')::jsonb, 'null'), assignee_key = i.r->'task'->>'assigneeKey',
    assigned_at = (i.r->'task'->>'assignedAt')::timestamptz, completed_at = (i.r->'task'->>'completedAt')::timestamptz,
    completed_by = nullif((i.r->'task'->'completedBy')::jsonb, 'null'), completed_by_key = i.r->'task'->>'completedByKey',
    action_key = i.r->'task'->>'actionKey', blocked = (i.r->'task'->>'blocked')::boolean,
    candidate_user_count = coalesce((select user_count from enumerated), t.candidate_user_count)
  from accepted i
  where t.tenant_id = i.tenant_id and t.id = i.task_id and t.revision < i.revision
  returning t.id),
counted as (
  update user_tasks t set candidate_user_count = n.user_count
  from enumerated n
  where t.tenant_id = n.tenant_id and t.id = n.task_id and t.candidate_user_count <> n.user_count
    and not exists (select from changed)),
candidates as (
  update user_task_candidates c set
    claimable = ${received} and ${entitles('i.membership_mode', 'c.source')},
    priority = (i.r->'task'->>'priority')::integer, due_at = (i.r->'task'->>'dueAt')::timestamptz
  from accepted i, changed
  where c.tenant_id = i.tenant_id and c.task_id = i.task_id
    and not (c.source = 'SnapshotMember' and i.snapshot_id is not null)),
leavers as (
  delete from user_task_candidates c using accepted i
  where i.snapshot_id is not null and c.tenant_id = i.tenant_id and c.task_id = i.task_id
    and c.source = 'SnapshotMember' and not exists (
      select from ${members('i.snapshot_id')} and m.participant_key = c.participant_key)),
members as (
  insert into user_task_candidates (tenant_id, task_id, provider, type, participant_id, display_name, source,
    participant_key, claimable, priority, due_at, created_at)
  select i.tenant_id, i.task_id, m.provider, 'user', m.participant_id, m.display_name, 'SnapshotMember', m.participant_key,
    case when exists (select from changed) then ${received} else ${open('p.status', 'p.blocked')} end,
    case when exists (select from changed) then (i.r->'task'->>'priority')::integer else p.priority end,
    case when exists (select from changed) then (i.r->'task'->>'dueAt')::timestamptz else p.due_at end, p.created_at
  from accepted i, present p, ${members('i.snapshot_id')}
    and not exists (${namedAlready})
  on conflict (tenant_id, task_id, participant_key, source) do update
    set claimable = excluded.claimable, priority = excluded.priority, due_at = excluded.due_at),
protected as (
  update user_task_protected p set response = coalesce($2::text::json, p.response), form = coalesce($3::text::json, p.form)
  from accepted i
  where p.tenant_id = i.tenant_id and p.task_id = i.task_id and ($2::text is not null or $3::text is not null)),
healed as (
  delete from user_task_health_issues h using accepted i, changed
  where h.tenant_id = i.tenant_id and h.task_id = i.task_id and h.origin = 'task'
    and h.code not in (select json_array_elements(i.r->'task'->'health')->>'code')),
ailing as (${insertHealth('accepted i, changed')}),
events as (${insertEvents('accepted i', 'i.epoch')}),
notifications as (${insertNotifications('accepted i', 'i.epoch')}),
participations as (${insertParticipations('accepted i')}),
operations as (${upsertOperations('accepted i')})
select case
  when exists (select from changed) then 'applied'
  when exists (select from accepted) then 'not-applied'
  when exists (select from present) then 'other-run'
  else 'absent' end as outcome`;

/**
 * Writes everything of a task that has no row yet. Answers the id of the task that holds the materialization key, this
 * one or one that was first, or nothing when a transaction that is not committed yet holds it. Parameters: document,
 * completion data or null, task data, actions.
 */
export const CREATE_TASK = `
with ${incoming},
added as (
  insert into user_tasks (tenant_id, id, workflow_id, run_id, run_lineage, materialization_key, owner_workflow_id,
    owner_run_id, activity_instance_id, owner_definition_id, owner_definition_name, owner_definition_version,
    owner_instance_reference, title, summary, reference, tags, task_type, requester, candidate_user_count,
    candidate_group_count, membership_mode, allow_manager_exclusion_override, enable_timeout_outcome,
    enable_cancellation_outcome, revision, status, priority, due_at, created_at, updated_at, assignee, assignee_key, assigned_at, completed_at,
    completed_by, completed_by_key, action_key, blocked)
  select i.tenant_id, i.task_id, i.r->>'workflowId', i.run_id, i.lineage, i.r->>'materializationKey',
    i.r->'owner'->>'workflowId', i.r->'owner'->>'runId', i.r->'owner'->>'activityInstanceId',
    i.r->'owner'->>'definitionId', i.r->'owner'->>'definitionName', i.r->'owner'->>'definitionVersion',
    i.r->'owner'->>'instanceReference', i.r->'inputs'->>'title', i.r->'inputs'->>'summary', i.r->'inputs'->>'reference',
    array(select json_array_elements_text(i.r->'inputs'->'tags')), i.r->'inputs'->>'taskType',
    nullif((i.r->'inputs'->'requester')::jsonb, 'null'),
    (i.r->>'candidateUserCount')::integer + (
      select count(*) from ${members(`i.r->>'snapshotId'`)}
        and m.participant_key not in (select c->>'key' from json_array_elements(i.r->'candidates') as c)),
    (i.r->>'candidateGroupCount')::integer, i.r->'inputs'->>'membershipResolutionMode', (i.r->'inputs'->>'allowManagerExclusionOverride')::boolean,
    (i.r->'inputs'->>'enableTimeoutOutcome')::boolean, (i.r->'inputs'->>'enableCancellationOutcome')::boolean,
    i.revision, i.r->'task'->>'status', (i.r->'task'->>'priority')::integer, (i.r->'task'->>'dueAt')::timestamptz,
    (i.r->>'createdAt')::timestamptz, (i.r->'task'->>'updatedAt')::timestamptz,
    nullif((i.r->'task'->'assignee')::jsonb, 'null'), i.r->'task'->>'assigneeKey',
    (i.r->'task'->>'assignedAt')::timestamptz, (i.r->'task'->>'completedAt')::timestamptz,
    nullif((i.r->'task'->'completedBy')::jsonb, 'null'), i.r->'task'->>'completedByKey', i.r->'task'->>'actionKey',
    (i.r->'task'->>'blocked')::boolean
  from incoming i
  on conflict do nothing
  returning tenant_id, id),
fresh as (select i.* from incoming i, added),
protected as (
  insert into user_task_protected (tenant_id, task_id, instructions, task_data, actions, response, form, form_reference)
  select i.tenant_id, i.task_id, i.r->'inputs'->>'instructions', $3::text::json, $4::text::json, $2::text::json,
    $5::text::json, $6::text::json
  from fresh i),
candidates as (
  insert into user_task_candidates (tenant_id, task_id, provider, type, participant_id, display_name, source,
    participant_key, claimable, priority, due_at, created_at)
  select i.tenant_id, i.task_id, c.provider, c.type, c.id, c."displayName", c.source, c.key,
    ${received} and ${entitles(`(i.r->'inputs'->>'membershipResolutionMode')`, 'c.source')},
    (i.r->'task'->>'priority')::integer, (i.r->'task'->>'dueAt')::timestamptz, (i.r->>'createdAt')::timestamptz
  from fresh i, json_to_recordset(i.r->'candidates')
    as c(provider text, type text, id text, "displayName" text, source text, key text)
  union all
  select i.tenant_id, i.task_id, m.provider, 'user', m.participant_id, m.display_name, 'SnapshotMember', m.participant_key,
    ${received}, (i.r->'task'->>'priority')::integer, (i.r->'task'->>'dueAt')::timestamptz, (i.r->>'createdAt')::timestamptz
  from fresh i, ${members(`i.r->>'snapshotId'`)}
    and not exists (
      select from json_to_recordset(i.r->'candidates') as c(key text) where c.key = m.participant_key)),
exclusions as (
  insert into user_task_exclusions (tenant_id, task_id, provider, participant_id, display_name, participant_key)
  select i.tenant_id, i.task_id, c.provider, c.id, c."displayName", c.key
  from fresh i, json_to_recordset(i.r->'exclusions') as c(provider text, id text, "displayName" text, key text)),
ailing as (${insertHealth('fresh i')}),
events as (${insertEvents('fresh i', '1')}),
notifications as (${insertNotifications('fresh i', '1')}),
participations as (${insertParticipations('fresh i')}),
operations as (${upsertOperations('fresh i')})
select id as "taskId" from added
union all
select t.id from user_tasks t, incoming i
where t.tenant_id = i.tenant_id and t.materialization_key = i.r->>'materializationKey'
limit 1`;

/**
 * Lets a row follow a workflow that an operator has reset: a new epoch, a revision so low that the receipt that follows
 * in the same transaction applies, and what was undone marked as such. Answers nothing when the row has followed the run
 * already, else from which revision it was set back and in which epoch it goes on. Parameters: tenant, task, run,
 * operations that the workflow still knows.
 * @see UT-397
 */
export const REWIND_TASK = `
with rewound as (
  update user_tasks t set epoch = t.epoch + 1, run_id = $3, run_lineage = array[]::text[], revision = 0
  from (select tenant_id, id, revision from user_tasks where tenant_id = $1 and id = $2 and run_id <> $3 for update) b
  where t.tenant_id = b.tenant_id and t.id = b.id
  returning t.tenant_id, t.id, t.epoch, b.revision as from_revision),
undone as (
  update user_task_operations o set status = 'Failed', error_code = 'rewound', updated_at = now()
  from rewound r
  where o.tenant_id = r.tenant_id and o.task_id = r.id and o.status in ('Accepted', 'Completed')
    and not o.operation_id = any($4::text[]))
select epoch, from_revision as "fromRevision" from rewound`;

/**
 * Says in the timeline that the task was set back, after the receipt is applied: to the revision before the first event
 * of the new epoch, or, where nothing has happened since, to the one that it has; so it comes before what followed.
 * Parameters: tenant, task, epoch, revision that was left, time.
 */
export const RECORD_REWIND = `
insert into user_task_events (${eventColumns})
select t.tenant_id, t.id, t.epoch, b.revision, 1,
  'evt_' || substr(encode(sha256(convert_to(concat_ws(':', t.id, t.epoch, b.revision, 1), 'UTF8')), 'hex'), 1, 32),
  'Rewound', $5::timestamptz, null, null, null,
  jsonb_build_object('fromRevision', $4::integer, 'toRevision', b.revision)
from user_tasks t, lateral (
  select coalesce(min(e.revision) - 1, t.revision) as revision from user_task_events e
  where e.tenant_id = t.tenant_id and e.task_id = t.id and e.epoch = t.epoch) b
where t.tenant_id = $1 and t.id = $2 and t.epoch = $3::integer`;

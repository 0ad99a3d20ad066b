-- CreateTable
CREATE TABLE "user_tasks" (
    "tenant_id" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "workflow_id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "run_lineage" TEXT[],
    "epoch" INTEGER NOT NULL DEFAULT 1,
    "materialization_key" TEXT COLLATE "C" NOT NULL,
    "owner_workflow_id" TEXT NOT NULL,
    "owner_run_id" TEXT NOT NULL,
    "activity_instance_id" TEXT NOT NULL,
    "owner_definition_id" TEXT NOT NULL,
    "owner_definition_name" TEXT NOT NULL,
    "owner_definition_version" TEXT,
    "owner_instance_reference" TEXT,
    "title" TEXT NOT NULL,
    "summary" TEXT,
    "reference" TEXT,
    "tags" TEXT[],
    "task_type" TEXT,
    "requester" JSONB,
    "candidate_user_count" INTEGER NOT NULL,
    "candidate_group_count" INTEGER NOT NULL,
    "allow_manager_exclusion_override" BOOLEAN NOT NULL,
    "enable_timeout_outcome" BOOLEAN NOT NULL,
    "enable_cancellation_outcome" BOOLEAN NOT NULL,
    "revision" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "priority" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "assignee" JSONB,
    "assignee_key" TEXT COLLATE "C",
    "assigned_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "completed_by" JSONB,
    "completed_by_key" TEXT COLLATE "C",
    "action_key" TEXT,
    "blocked" BOOLEAN NOT NULL,

    CONSTRAINT "user_tasks_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "user_task_protected" (
    "tenant_id" TEXT NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "instructions" TEXT,
    "task_data" JSON,
    "actions" JSON NOT NULL,
    "response" JSON,

    CONSTRAINT "user_task_protected_pkey" PRIMARY KEY ("tenant_id","task_id")
);

-- CreateTable
CREATE TABLE "user_task_candidates" (
    "tenant_id" TEXT NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "provider" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "participant_id" TEXT NOT NULL,
    "display_name" TEXT,
    "source" TEXT NOT NULL,
    "participant_key" TEXT COLLATE "C" NOT NULL,
    "claimable" BOOLEAN NOT NULL,
    "priority" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_task_candidates_pkey" PRIMARY KEY ("tenant_id","task_id","participant_key","source")
);

-- CreateTable
CREATE TABLE "user_task_exclusions" (
    "tenant_id" TEXT NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "provider" TEXT NOT NULL,
    "participant_id" TEXT NOT NULL,
    "display_name" TEXT,
    "participant_key" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "user_task_exclusions_pkey" PRIMARY KEY ("tenant_id","task_id","participant_key")
);

-- CreateTable
CREATE TABLE "user_task_participations" (
    "tenant_id" TEXT NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "participant_key" TEXT COLLATE "C" NOT NULL,
    "role" TEXT NOT NULL,

    CONSTRAINT "user_task_participations_pkey" PRIMARY KEY ("tenant_id","task_id","participant_key","role")
);

-- CreateTable
CREATE TABLE "user_task_health_issues" (
    "tenant_id" TEXT NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "code" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_task_health_issues_pkey" PRIMARY KEY ("tenant_id","task_id","code")
);

-- CreateTable
CREATE TABLE "user_task_events" (
    "tenant_id" TEXT NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "epoch" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "event_type" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "actor" JSONB,
    "operation_id" TEXT COLLATE "C",
    "reason" TEXT,
    "metadata" JSONB,

    CONSTRAINT "user_task_events_pkey" PRIMARY KEY ("tenant_id","task_id","epoch","revision","ordinal")
);

-- CreateTable
CREATE TABLE "user_task_operations" (
    "tenant_id" TEXT NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "operation_id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" JSONB,
    "subject_key" TEXT COLLATE "C",
    "request_hash" TEXT NOT NULL,
    "received_hash" TEXT NOT NULL,
    "expected_revision" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "error_code" TEXT,
    "action_key" TEXT,
    "revision" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "via" TEXT,
    "not_after" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "command" JSON,

    CONSTRAINT "user_task_operations_pkey" PRIMARY KEY ("tenant_id","task_id","operation_id")
);

-- CreateIndex
CREATE INDEX "user_tasks_tenant_id_status_idx" ON "user_tasks"("tenant_id", "status");

-- CreateIndex
CREATE INDEX "user_tasks_tenant_id_owner_definition_id_idx" ON "user_tasks"("tenant_id", "owner_definition_id");

-- CreateIndex
CREATE INDEX "user_tasks_tenant_id_owner_workflow_id_idx" ON "user_tasks"("tenant_id", "owner_workflow_id");

-- CreateIndex
CREATE INDEX "user_tasks_tenant_id_activity_instance_id_idx" ON "user_tasks"("tenant_id", "activity_instance_id");

-- CreateIndex
CREATE INDEX "user_tasks_tenant_id_completed_at_idx" ON "user_tasks"("tenant_id", "completed_at");

-- CreateIndex
CREATE INDEX "user_tasks_tenant_id_updated_at_idx" ON "user_tasks"("tenant_id", "updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "user_tasks_tenant_id_materialization_key_key" ON "user_tasks"("tenant_id", "materialization_key");

-- CreateIndex
CREATE UNIQUE INDEX "user_tasks_tenant_id_workflow_id_key" ON "user_tasks"("tenant_id", "workflow_id");

-- CreateIndex
CREATE INDEX "user_task_participations_tenant_id_participant_key_idx" ON "user_task_participations"("tenant_id", "participant_key");

-- CreateIndex
CREATE UNIQUE INDEX "user_task_events_tenant_id_id_key" ON "user_task_events"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "user_task_operations_tenant_id_status_updated_at_idx" ON "user_task_operations"("tenant_id", "status", "updated_at");

-- AddForeignKey
ALTER TABLE "user_task_protected" ADD CONSTRAINT "user_task_protected_tenant_id_task_id_fkey" FOREIGN KEY ("tenant_id", "task_id") REFERENCES "user_tasks"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_task_candidates" ADD CONSTRAINT "user_task_candidates_tenant_id_task_id_fkey" FOREIGN KEY ("tenant_id", "task_id") REFERENCES "user_tasks"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_task_exclusions" ADD CONSTRAINT "user_task_exclusions_tenant_id_task_id_fkey" FOREIGN KEY ("tenant_id", "task_id") REFERENCES "user_tasks"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_task_participations" ADD CONSTRAINT "user_task_participations_tenant_id_task_id_fkey" FOREIGN KEY ("tenant_id", "task_id") REFERENCES "user_tasks"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_task_health_issues" ADD CONSTRAINT "user_task_health_issues_tenant_id_task_id_fkey" FOREIGN KEY ("tenant_id", "task_id") REFERENCES "user_tasks"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_task_events" ADD CONSTRAINT "user_task_events_tenant_id_task_id_fkey" FOREIGN KEY ("tenant_id", "task_id") REFERENCES "user_tasks"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_task_operations" ADD CONSTRAINT "user_task_operations_tenant_id_task_id_fkey" FOREIGN KEY ("tenant_id", "task_id") REFERENCES "user_tasks"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the Prisma schema cannot say.

ALTER TABLE "user_tasks"
  ADD CONSTRAINT "user_tasks_status_known" CHECK ("status" IN ('Unassigned', 'Available', 'Assigned', 'Completing', 'TimingOut', 'Cancelling', 'Completed', 'TimedOut', 'Cancelled')),
  ADD CONSTRAINT "user_tasks_priority_in_range" CHECK ("priority" BETWEEN 0 AND 100),
  ADD CONSTRAINT "user_tasks_assigned_has_assignee" CHECK ("status" NOT IN ('Assigned', 'Completing', 'Completed') OR "assignee_key" IS NOT NULL);

ALTER TABLE "user_task_operations"
  ADD CONSTRAINT "user_task_operations_status_known" CHECK ("status" IN ('Pending', 'Accepted', 'Completed', 'Rejected', 'Failed'));

-- Sort value of an instant in either direction, ascending: so one form of keyset, (value, id) > (x, y), pages through
-- every order with the id ascending, and a missing due date comes last in both directions.
CREATE FUNCTION user_task_order(at timestamptz, direction integer) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce(direction * (extract(epoch FROM at AT TIME ZONE 'UTC') * 1000)::bigint, 9223372036854775807) $$;

-- Lists of the tasks that a candidate reference may claim.
CREATE INDEX "user_task_candidates_claimable_created_asc" ON "user_task_candidates" ("tenant_id", "participant_key", user_task_order("created_at", 1), "task_id") WHERE "claimable";
CREATE INDEX "user_task_candidates_claimable_created_desc" ON "user_task_candidates" ("tenant_id", "participant_key", user_task_order("created_at", -1), "task_id") WHERE "claimable";
CREATE INDEX "user_task_candidates_claimable_due_asc" ON "user_task_candidates" ("tenant_id", "participant_key", user_task_order("due_at", 1), "task_id") WHERE "claimable";
CREATE INDEX "user_task_candidates_claimable_due_desc" ON "user_task_candidates" ("tenant_id", "participant_key", user_task_order("due_at", -1), "task_id") WHERE "claimable";
CREATE INDEX "user_task_candidates_claimable_priority_asc" ON "user_task_candidates" ("tenant_id", "participant_key", "priority", "task_id") WHERE "claimable";
CREATE INDEX "user_task_candidates_claimable_priority_desc" ON "user_task_candidates" ("tenant_id", "participant_key", (-"priority"), "task_id") WHERE "claimable";

-- Lists of the tasks that a person holds.
CREATE INDEX "user_tasks_held_created_asc" ON "user_tasks" ("tenant_id", "assignee_key", user_task_order("created_at", 1), "id") WHERE "assignee_key" IS NOT NULL AND "completed_at" IS NULL;
CREATE INDEX "user_tasks_held_created_desc" ON "user_tasks" ("tenant_id", "assignee_key", user_task_order("created_at", -1), "id") WHERE "assignee_key" IS NOT NULL AND "completed_at" IS NULL;
CREATE INDEX "user_tasks_held_due_asc" ON "user_tasks" ("tenant_id", "assignee_key", user_task_order("due_at", 1), "id") WHERE "assignee_key" IS NOT NULL AND "completed_at" IS NULL;
CREATE INDEX "user_tasks_held_due_desc" ON "user_tasks" ("tenant_id", "assignee_key", user_task_order("due_at", -1), "id") WHERE "assignee_key" IS NOT NULL AND "completed_at" IS NULL;
CREATE INDEX "user_tasks_held_priority_asc" ON "user_tasks" ("tenant_id", "assignee_key", "priority", "id") WHERE "assignee_key" IS NOT NULL AND "completed_at" IS NULL;
CREATE INDEX "user_tasks_held_priority_desc" ON "user_tasks" ("tenant_id", "assignee_key", (-"priority"), "id") WHERE "assignee_key" IS NOT NULL AND "completed_at" IS NULL;

-- Lists of all tasks of a tenant, for managers.
CREATE INDEX "user_tasks_all_created_asc" ON "user_tasks" ("tenant_id", user_task_order("created_at", 1), "id");
CREATE INDEX "user_tasks_all_created_desc" ON "user_tasks" ("tenant_id", user_task_order("created_at", -1), "id");
CREATE INDEX "user_tasks_all_due_asc" ON "user_tasks" ("tenant_id", user_task_order("due_at", 1), "id");
CREATE INDEX "user_tasks_all_due_desc" ON "user_tasks" ("tenant_id", user_task_order("due_at", -1), "id");
CREATE INDEX "user_tasks_all_priority_asc" ON "user_tasks" ("tenant_id", "priority", "id");
CREATE INDEX "user_tasks_all_priority_desc" ON "user_tasks" ("tenant_id", (-"priority"), "id");

-- What the sweeper looks for: commands whose outcome is not known yet.
CREATE INDEX "user_task_operations_pending" ON "user_task_operations" ("created_at") WHERE "status" = 'Pending';

-- AlterTable
ALTER TABLE "user_task_health_issues" ADD COLUMN     "origin" TEXT NOT NULL DEFAULT 'task';

-- AlterTable
ALTER TABLE "user_task_protected" ADD COLUMN     "form" JSON,
ADD COLUMN     "form_reference" JSON;

-- AlterTable
ALTER TABLE "user_tasks" ADD COLUMN     "membership_mode" TEXT NOT NULL DEFAULT 'Live';

-- CreateTable
CREATE TABLE "user_task_snapshot_members" (
    "tenant_id" TEXT NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "snapshot_id" TEXT COLLATE "C" NOT NULL,
    "provider" TEXT NOT NULL,
    "participant_id" TEXT NOT NULL,
    "display_name" TEXT,
    "participant_key" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "user_task_snapshot_members_pkey" PRIMARY KEY ("tenant_id","task_id","snapshot_id","participant_key")
);

-- CreateTable
CREATE TABLE "user_task_forms" (
    "tenant_id" TEXT NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "version" INTEGER NOT NULL,
    "schemas" JSON NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_task_forms_pkey" PRIMARY KEY ("tenant_id","key","version")
);

-- CreateTable
CREATE TABLE "directory_participants" (
    "tenant_id" TEXT NOT NULL,
    "participant_key" TEXT COLLATE "C" NOT NULL,
    "provider" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "participant_id" TEXT NOT NULL,
    "display_name" TEXT,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "directory_participants_pkey" PRIMARY KEY ("tenant_id","participant_key")
);

-- CreateTable
CREATE TABLE "user_task_notifications" (
    "tenant_id" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "position" BIGINT GENERATED ALWAYS AS IDENTITY,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "data" JSONB NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "planned_at" TIMESTAMPTZ(3),

    CONSTRAINT "user_task_notifications_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "tenant_id" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "url" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "types" TEXT[],
    "subject" JSONB,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "tenant_id" TEXT NOT NULL,
    "endpoint_id" TEXT COLLATE "C" NOT NULL,
    "notification_id" TEXT COLLATE "C" NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "available_at" TIMESTAMPTZ(3) NOT NULL,
    "last_error_code" TEXT,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("tenant_id","endpoint_id","notification_id")
);

-- CreateTable
CREATE TABLE "purged_user_tasks" (
    "tenant_id" TEXT NOT NULL,
    "task_id" TEXT COLLATE "C" NOT NULL,
    "purged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "purged_user_tasks_pkey" PRIMARY KEY ("tenant_id","task_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "user_task_notifications_position_key" ON "user_task_notifications"("position");

-- CreateIndex
CREATE INDEX "user_task_notifications_tenant_id_position_idx" ON "user_task_notifications"("tenant_id", "position");

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_tenant_id_endpoint_id_fkey" FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoints"("tenant_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the Prisma schema cannot say.

ALTER TABLE "user_tasks"
  ADD CONSTRAINT "user_tasks_membership_mode_known" CHECK ("membership_mode" IN ('Live', 'Snapshot'));
ALTER TABLE "webhook_deliveries"
  ADD CONSTRAINT "webhook_deliveries_status_known" CHECK ("status" IN ('Pending', 'Delivered', 'Dead'));

-- The timeline only grows. The purge, and it alone, says before it deletes that it is the purge.
CREATE FUNCTION user_task_events_append_only() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('countersign.purge', true) = 'on' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'events of user tasks are append-only';
END $$;
CREATE TRIGGER "user_task_events_append_only" BEFORE UPDATE OR DELETE ON "user_task_events"
  FOR EACH ROW EXECUTE FUNCTION user_task_events_append_only();
CREATE TRIGGER "user_task_events_not_truncated" BEFORE TRUNCATE ON "user_task_events"
  FOR EACH STATEMENT EXECUTE FUNCTION user_task_events_append_only();

-- Wakes live streams, waiting calls and the webhook dispatcher of every process. Says that there is something, not what.
CREATE FUNCTION user_task_notify() RETURNS trigger
  LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('countersign', TG_ARGV[0]);
  RETURN NULL;
END $$;
CREATE TRIGGER "user_task_notifications_wake" AFTER INSERT ON "user_task_notifications"
  FOR EACH STATEMENT EXECUTE FUNCTION user_task_notify('notification');
-- Other outcomes come with a notification.
CREATE TRIGGER "user_task_operations_wake" AFTER INSERT OR UPDATE ON "user_task_operations"
  FOR EACH ROW WHEN (NEW."status" IN ('Rejected', 'Failed')) EXECUTE FUNCTION user_task_notify('operation');

CREATE INDEX "user_task_notifications_unplanned" ON "user_task_notifications" ("position") WHERE "planned_at" IS NULL;
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" ("available_at") WHERE "status" = 'Pending';

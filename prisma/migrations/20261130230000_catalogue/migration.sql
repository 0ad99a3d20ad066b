

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

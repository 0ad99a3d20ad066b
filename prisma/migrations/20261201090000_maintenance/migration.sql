-- Repair walks the open tasks alone, however many closed ones there are.
CREATE INDEX "user_tasks_open" ON "user_tasks" ("tenant_id", "id") WHERE "completed_at" IS NULL;

-- Operations whose end is still to come.
CREATE INDEX "user_task_operations_unsettled" ON "user_task_operations" ("tenant_id", "task_id") WHERE "status" IN ('Pending', 'Accepted');

-- Issues that are seen from outside, which whoever raised them clears again.
CREATE INDEX "user_task_health_issues_outside" ON "user_task_health_issues" ("code", "tenant_id", "task_id") WHERE "origin" = 'outside';

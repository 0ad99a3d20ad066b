-- One process at a time sends to an endpoint, so that what it is told keeps its order.
ALTER TABLE "webhook_endpoints" ADD COLUMN     "leased_until" TIMESTAMPTZ(3);

-- What the Prisma schema cannot say.

CREATE INDEX "webhook_deliveries_lane" ON "webhook_deliveries" ("tenant_id", "endpoint_id", "available_at") WHERE "status" = 'Pending';
CREATE INDEX "webhook_deliveries_of_notification" ON "webhook_deliveries" ("tenant_id", "notification_id");

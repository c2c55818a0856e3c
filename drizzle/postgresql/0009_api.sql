ALTER TABLE "agents" ADD COLUMN "picture" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "agent_id" text;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "external_id" text;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "metadata" text;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "customer_id" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "external_id" text;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "log_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "shown_metadata" text;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "external_id" text;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "metadata" text;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "filters" text;--> statement-breakpoint
ALTER TABLE "resend_jobs" ADD COLUMN "kind" text DEFAULT 'failed' NOT NULL;--> statement-breakpoint
ALTER TABLE "resend_jobs" ADD COLUMN "after_event" bigint;--> statement-breakpoint
ALTER TABLE "resend_jobs" ADD COLUMN "until_event" bigint;--> statement-breakpoint
CREATE UNIQUE INDEX "customers_by_external_id" ON "customers" USING btree ("org_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "messages_by_organization" ON "messages" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "tickets_by_external_id" ON "tickets" USING btree ("org_id","external_id") WHERE external_id is not null;--> statement-breakpoint
UPDATE "organizations" SET "log_id" = substr(md5(random()::text || "id"), 1, 12);

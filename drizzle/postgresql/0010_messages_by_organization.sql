DROP INDEX "messages_by_organization";--> statement-breakpoint
CREATE INDEX "messages_by_organization" ON "messages" USING btree ("org_id","created_at","id") WHERE org_id <> '';
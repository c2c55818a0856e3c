ALTER TABLE "search_cursors" ADD COLUMN "back_at" bigint;--> statement-breakpoint
ALTER TABLE "search_cursors" ADD COLUMN "back_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "tickets_by_status_assignee_updated" ON "tickets" USING btree ("org_id","status","assigned_to","updated_at","id");
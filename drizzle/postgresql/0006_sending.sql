ALTER TABLE "scheduled_messages" ALTER COLUMN "ticket_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "is_removal_shown" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "undo_email_seconds" bigint DEFAULT 10 NOT NULL;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "undo_api_seconds" bigint DEFAULT 10 NOT NULL;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "undo_widget_seconds" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "undo_telegram_seconds" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "scheduled_messages" ADD COLUMN "opening" text;--> statement-breakpoint
CREATE INDEX "scheduled_messages_opening" ON "scheduled_messages" USING btree ("org_id","created_at") WHERE ticket_id is null;
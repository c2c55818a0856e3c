ALTER TABLE "scheduled_messages" ADD COLUMN "actions" text;--> statement-breakpoint
ALTER TABLE "scheduled_messages" ADD COLUMN "is_later" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "drafts" ADD COLUMN "actions" text;--> statement-breakpoint
CREATE INDEX "scheduled_messages_later" ON "scheduled_messages" USING btree ("org_id","ticket_id") WHERE is_later and not is_held;--> statement-breakpoint
UPDATE scheduled_messages SET actions = '{"status":"' || then_status || '"}' WHERE then_status IS NOT NULL;--> statement-breakpoint
UPDATE scheduled_messages SET is_later = true WHERE send_at - created_at > 60000;--> statement-breakpoint
ALTER TABLE "scheduled_messages" DROP COLUMN "then_status";
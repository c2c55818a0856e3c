CREATE TABLE "moved_rows" (
	"org_id" text NOT NULL,
	"move_id" text NOT NULL,
	"kind" text NOT NULL,
	"row_id" text NOT NULL,
	"values" text,
	CONSTRAINT "moved_rows_move_id_kind_row_id_pk" PRIMARY KEY("move_id","kind","row_id")
);
--> statement-breakpoint
CREATE TABLE "moves" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"kind" text NOT NULL,
	"from_id" text NOT NULL,
	"into_id" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"actor_name" text NOT NULL,
	"created_at" bigint NOT NULL,
	"undone_at" bigint
);
--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "merged_into" text;--> statement-breakpoint
CREATE INDEX "moved_rows_by_row" ON "moved_rows" USING btree ("org_id","row_id");--> statement-breakpoint
CREATE INDEX "moves_by_from" ON "moves" USING btree ("org_id","from_id");--> statement-breakpoint
CREATE INDEX "moves_by_into" ON "moves" USING btree ("org_id","into_id");--> statement-breakpoint
CREATE INDEX "tickets_merged" ON "tickets" USING btree ("org_id","merged_into") WHERE merged_into is not null;--> statement-breakpoint
ALTER TABLE "tickets" ALTER COLUMN "is_spam" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "tickets" ALTER COLUMN "is_spam" SET DATA TYPE bigint USING "is_spam"::integer;--> statement-breakpoint
ALTER TABLE "tickets" RENAME COLUMN "is_spam" TO "place";--> statement-breakpoint
ALTER TABLE "tickets" ALTER COLUMN "place" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "ticket_tags" ALTER COLUMN "is_spam" SET DATA TYPE bigint USING "is_spam"::integer;--> statement-breakpoint
ALTER TABLE "ticket_tags" RENAME COLUMN "is_spam" TO "place";--> statement-breakpoint
ALTER TABLE "ticket_counters" ALTER COLUMN "is_spam" SET DATA TYPE bigint USING "is_spam"::integer;--> statement-breakpoint
ALTER TABLE "ticket_counters" RENAME COLUMN "is_spam" TO "place";--> statement-breakpoint
ALTER TABLE "ticket_counters" RENAME CONSTRAINT "ticket_counters_org_id_assigned_to_status_tag_channel_is_spam_pk" TO "ticket_counters_org_id_assigned_to_status_tag_channel_place_pk";--> statement-breakpoint
CREATE TABLE "reaction_cursors" (
	"org_id" text PRIMARY KEY NOT NULL,
	"event_number" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "timers" (
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"kind" text NOT NULL,
	"ref" text DEFAULT '' NOT NULL,
	"due_at" bigint NOT NULL,
	"data" text NOT NULL,
	CONSTRAINT "timers_ticket_id_kind_ref_pk" PRIMARY KEY("ticket_id","kind","ref")
);
--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "message_id" text;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "by_id" text;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "changes" text;--> statement-breakpoint
ALTER TABLE "timers" ADD CONSTRAINT "timers_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "timers_due" ON "timers" USING btree ("due_at");--> statement-breakpoint
INSERT INTO "reaction_cursors" SELECT "id", "last_event" FROM "organizations";--> statement-breakpoint
CREATE TABLE "customer_emails" (
	"org_id" text NOT NULL,
	"email_key" text NOT NULL,
	"email" text NOT NULL,
	"customer_id" text NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "customer_emails_org_id_email_key_pk" PRIMARY KEY("org_id","email_key")
);
--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "company" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "phone" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "note" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "merged_into" text;--> statement-breakpoint
ALTER TABLE "customer_emails" ADD CONSTRAINT "customer_emails_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "customer_emails_by_customer" ON "customer_emails" USING btree ("customer_id","position");--> statement-breakpoint
CREATE INDEX "customers_by_id" ON "customers" USING btree ("org_id","id") WHERE merged_into is null;--> statement-breakpoint
CREATE INDEX "customers_merged" ON "customers" USING btree ("merged_into") WHERE merged_into is not null;--> statement-breakpoint
UPDATE customers SET reindex_after = 'tkt_~' WHERE reindex_after IS NULL;--> statement-breakpoint
CREATE TABLE "notification_emails" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"send_id" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_settings" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"ways" text NOT NULL,
	"shows_text" boolean DEFAULT true NOT NULL,
	"paused_until" bigint,
	"has_summary" boolean DEFAULT false NOT NULL,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"summary_due_at" bigint,
	"email_due_at" bigint,
	"last_emailed_at" bigint,
	CONSTRAINT "notification_settings_org_id_agent_id_pk" PRIMARY KEY("org_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"event_number" bigint NOT NULL,
	"ticket_id" text NOT NULL,
	"reason" text NOT NULL,
	"message_id" text,
	"by_name" text DEFAULT '' NOT NULL,
	"view_id" text,
	"is_chat" boolean DEFAULT false NOT NULL,
	"tickets" bigint DEFAULT 1 NOT NULL,
	"seen_at" bigint,
	"email_id" text,
	"created_at" bigint NOT NULL,
	CONSTRAINT "notifications_org_id_agent_id_event_number_pk" PRIMARY KEY("org_id","agent_id","event_number")
);
--> statement-breakpoint
CREATE TABLE "push_keys" (
	"org_id" text PRIMARY KEY NOT NULL,
	"public_key" text NOT NULL,
	"private_key" "bytea" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"session_id" text NOT NULL,
	"endpoint" text NOT NULL,
	"keys" "bytea" NOT NULL,
	"origin" text NOT NULL,
	"device" text DEFAULT '' NOT NULL,
	"created_at" bigint NOT NULL,
	"last_sent_at" bigint,
	"error" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pushes" (
	"subscription_id" text NOT NULL,
	"tag" text NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"event_number" bigint NOT NULL,
	"due_at" bigint NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "pushes_subscription_id_tag_pk" PRIMARY KEY("subscription_id","tag")
);
--> statement-breakpoint
CREATE TABLE "view_bells" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"view_id" text NOT NULL,
	"push" boolean NOT NULL,
	"email" boolean NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "view_bells_org_id_agent_id_view_id_pk" PRIMARY KEY("org_id","agent_id","view_id")
);
--> statement-breakpoint
CREATE INDEX "notification_emails_by_age" ON "notification_emails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notification_emails_by_ticket" ON "notification_emails" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "notification_settings_email_due" ON "notification_settings" USING btree ("email_due_at") WHERE email_due_at is not null;--> statement-breakpoint
CREATE INDEX "notification_settings_summary_due" ON "notification_settings" USING btree ("summary_due_at") WHERE summary_due_at is not null;--> statement-breakpoint
CREATE INDEX "notifications_unseen" ON "notifications" USING btree ("org_id","agent_id","ticket_id") WHERE seen_at is null;--> statement-breakpoint
CREATE INDEX "notifications_by_ticket" ON "notifications" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "notifications_by_age" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "push_subscriptions_by_endpoint" ON "push_subscriptions" USING btree ("org_id","agent_id","endpoint");--> statement-breakpoint
CREATE INDEX "push_subscriptions_by_session" ON "push_subscriptions" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "pushes_due" ON "pushes" USING btree ("due_at","subscription_id");--> statement-breakpoint
CREATE INDEX "pushes_by_agent" ON "pushes" USING btree ("org_id","agent_id","tag");--> statement-breakpoint
CREATE TABLE "followers" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"is_following" boolean NOT NULL,
	"changed_at" bigint NOT NULL,
	CONSTRAINT "followers_org_id_agent_id_ticket_id_pk" PRIMARY KEY("org_id","agent_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "mentions" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"note_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"seen_at" bigint,
	"created_at" bigint NOT NULL,
	CONSTRAINT "mentions_note_id_agent_id_pk" PRIMARY KEY("note_id","agent_id")
);
--> statement-breakpoint
ALTER TABLE "followers" ADD CONSTRAINT "followers_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mentions" ADD CONSTRAINT "mentions_note_id_notes_id_fk" FOREIGN KEY ("note_id") REFERENCES "public"."notes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mentions" ADD CONSTRAINT "mentions_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "followers_by_ticket" ON "followers" USING btree ("ticket_id");--> statement-breakpoint
CREATE INDEX "mentions_by_agent" ON "mentions" USING btree ("org_id","agent_id","created_at");--> statement-breakpoint
CREATE INDEX "mentions_unseen" ON "mentions" USING btree ("org_id","agent_id") WHERE seen_at is null;--> statement-breakpoint
CREATE INDEX "mentions_by_ticket" ON "mentions" USING btree ("ticket_id");--> statement-breakpoint
ALTER TABLE "scheduled_messages" ADD COLUMN "actions" text;--> statement-breakpoint
ALTER TABLE "scheduled_messages" ADD COLUMN "is_later" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "drafts" ADD COLUMN "actions" text;--> statement-breakpoint
ALTER TABLE "drafts" ADD COLUMN "send_at" bigint;--> statement-breakpoint
CREATE INDEX "scheduled_messages_later" ON "scheduled_messages" USING btree ("org_id","ticket_id") WHERE is_later and not is_held;--> statement-breakpoint
UPDATE scheduled_messages SET actions = '{"status":"' || then_status || '"}' WHERE then_status IS NOT NULL;--> statement-breakpoint
UPDATE scheduled_messages SET is_later = true WHERE send_at - created_at > 60000;--> statement-breakpoint
ALTER TABLE "scheduled_messages" DROP COLUMN "then_status";--> statement-breakpoint
CREATE TABLE "snoozes" (
	"ticket_id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text,
	"agent_name" text NOT NULL,
	"why" text NOT NULL,
	"until" bigint NOT NULL,
	"woken_at" bigint
);
--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "snoozed_until" bigint;--> statement-breakpoint
ALTER TABLE "snoozes" ADD CONSTRAINT "snoozes_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tickets_by_wake" ON "tickets" USING btree ("org_id","snoozed_until","id") WHERE snoozed_until is not null;--> statement-breakpoint
CREATE TABLE "saved_reply_uses" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"reply_id" text NOT NULL,
	"count" bigint NOT NULL,
	"last_used_at" bigint NOT NULL,
	CONSTRAINT "saved_reply_uses_org_id_agent_id_reply_id_pk" PRIMARY KEY("org_id","agent_id","reply_id")
);
--> statement-breakpoint
ALTER TABLE "saved_replies" ADD COLUMN "agent_id" text;--> statement-breakpoint
ALTER TABLE "saved_replies" ADD COLUMN "is_shared" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "saved_replies" ADD COLUMN "actions" text;--> statement-breakpoint
ALTER TABLE "saved_replies" ADD COLUMN "attachment_count" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "saved_reply_uses" ADD CONSTRAINT "saved_reply_uses_reply_id_saved_replies_id_fk" FOREIGN KEY ("reply_id") REFERENCES "public"."saved_replies"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "saved_reply_uses_by_reply" ON "saved_reply_uses" USING btree ("reply_id");--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "sends_by_enter" boolean DEFAULT false NOT NULL;
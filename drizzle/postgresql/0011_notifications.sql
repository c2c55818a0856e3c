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
CREATE INDEX "pushes_by_agent" ON "pushes" USING btree ("org_id","agent_id","tag");
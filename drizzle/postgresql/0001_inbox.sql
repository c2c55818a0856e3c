CREATE TABLE "activities" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"actor_name" text NOT NULL,
	"changes" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_links" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"purpose" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"actor_name" text NOT NULL,
	"action" text NOT NULL,
	"subject_id" text,
	"subject_label" text,
	"detail" text,
	"address" text,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "drafts" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"kind" text NOT NULL,
	"text" text NOT NULL,
	"saved_at" bigint NOT NULL,
	CONSTRAINT "drafts_org_id_agent_id_ticket_id_pk" PRIMARY KEY("org_id","agent_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "notes" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"agent_name" text NOT NULL,
	"text" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "read_marks" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"message_id" text NOT NULL,
	"message_at" bigint NOT NULL,
	CONSTRAINT "read_marks_org_id_agent_id_ticket_id_pk" PRIMARY KEY("org_id","agent_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "saved_replies" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"name" text NOT NULL,
	"text" text NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"is_shared" boolean DEFAULT false NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_cursors" (
	"org_id" text PRIMARY KEY NOT NULL,
	"event_number" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_documents" (
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"number" bigint NOT NULL,
	CONSTRAINT "search_documents_org_id_ticket_id_pk" PRIMARY KEY("org_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"hash" text NOT NULL,
	"device" text DEFAULT '' NOT NULL,
	"address" text DEFAULT '' NOT NULL,
	"created_at" bigint NOT NULL,
	"last_seen_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "waiting_replies" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"agent_name" text NOT NULL,
	"text" text NOT NULL,
	"then_status" text,
	"last_message_id" text NOT NULL,
	"is_forced" boolean DEFAULT false NOT NULL,
	"is_held" boolean DEFAULT false NOT NULL,
	"send_at" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "send_error" text;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "public_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "website" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "signature" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "is_spam" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "activities" ADD CONSTRAINT "activities_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_links" ADD CONSTRAINT "agent_links_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_links" ADD CONSTRAINT "agent_links_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "drafts" ADD CONSTRAINT "drafts_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "read_marks" ADD CONSTRAINT "read_marks_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_replies" ADD CONSTRAINT "saved_replies_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "waiting_replies" ADD CONSTRAINT "waiting_replies_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "activities_by_ticket" ON "activities" USING btree ("org_id","ticket_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_links_by_hash" ON "agent_links" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "agent_links_by_agent" ON "agent_links" USING btree ("org_id","agent_id");--> statement-breakpoint
CREATE INDEX "audit_entries_by_organization" ON "audit_entries" USING btree ("org_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_by_action" ON "audit_entries" USING btree ("org_id","action","id");--> statement-breakpoint
CREATE INDEX "drafts_by_ticket" ON "drafts" USING btree ("ticket_id");--> statement-breakpoint
CREATE INDEX "notes_by_ticket" ON "notes" USING btree ("org_id","ticket_id","created_at","id");--> statement-breakpoint
CREATE INDEX "read_marks_by_ticket" ON "read_marks" USING btree ("ticket_id");--> statement-breakpoint
CREATE INDEX "saved_replies_by_name" ON "saved_replies" USING btree ("org_id","name","id");--> statement-breakpoint
CREATE INDEX "saved_views_by_organization" ON "saved_views" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "search_documents_by_number" ON "search_documents" USING btree ("number");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_by_hash" ON "sessions" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "sessions_by_agent" ON "sessions" USING btree ("org_id","agent_id","last_seen_at");--> statement-breakpoint
CREATE INDEX "sessions_by_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "waiting_replies_due" ON "waiting_replies" USING btree ("is_held","send_at");--> statement-breakpoint
CREATE INDEX "waiting_replies_by_ticket" ON "waiting_replies" USING btree ("org_id","ticket_id","created_at");--> statement-breakpoint
CREATE INDEX "agents_by_address" ON "agents" USING btree ("email_key");--> statement-breakpoint
CREATE INDEX "messages_failed" ON "messages" USING btree ("org_id","ticket_id","id") WHERE sending in ('failed', 'bounced');--> statement-breakpoint
CREATE INDEX "tickets_spam" ON "tickets" USING btree ("org_id","updated_at","id") WHERE is_spam;--> statement-breakpoint
CREATE INDEX "tickets_by_customer" ON "tickets" USING btree ("org_id","customer_id","updated_at","id");--> statement-breakpoint
CREATE TABLE "search_index" ("rowid" bigint PRIMARY KEY, "text" tsvector NOT NULL);--> statement-breakpoint
CREATE INDEX "search_index_by_text" ON "search_index" USING gin ("text");

CREATE TABLE "agents" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_key" text NOT NULL,
	"role" text NOT NULL,
	"password_hash" text,
	"disabled_at" bigint,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"public_key" text,
	"scopes" text,
	"rate_limit" bigint,
	"expires_at" bigint,
	"revoked_at" bigint,
	"last_used_at" bigint,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"delivery_id" text NOT NULL,
	"number" bigint NOT NULL,
	"org_id" text NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"started_at" bigint NOT NULL,
	"duration_ms" bigint,
	"outcome" text,
	"status" bigint,
	"detail" text,
	"request_headers" text,
	"response_headers" text,
	"response_body" "bytea",
	"is_body_cut" boolean DEFAULT false NOT NULL,
	CONSTRAINT "attempts_delivery_id_number_pk" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "customers" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"name" text NOT NULL,
	"email" text,
	"email_key" text,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_number" bigint NOT NULL,
	"event_type" text NOT NULL,
	"ticket_id" text,
	"test_body" "bytea",
	"state" text NOT NULL,
	"due_at" bigint NOT NULL,
	"retries" bigint DEFAULT 0 NOT NULL,
	"interruptions" bigint DEFAULT 0 NOT NULL,
	"attempt" bigint DEFAULT 0 NOT NULL,
	"manual" boolean DEFAULT false NOT NULL,
	"last_error" text,
	"last_status" bigint,
	"created_at" bigint NOT NULL,
	"finished_at" bigint
);
--> statement-breakpoint
CREATE TABLE "endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"url" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"events" text NOT NULL,
	"secret" "bytea" NOT NULL,
	"next_secret" "bytea",
	"previous_secret" "bytea",
	"previous_secret_until" bigint,
	"off_at" bigint,
	"off_reason" text,
	"failing_since" bigint,
	"connect_failures" bigint DEFAULT 0 NOT NULL,
	"is_steady" boolean DEFAULT false NOT NULL,
	"recent_outcomes" text DEFAULT '' NOT NULL,
	"last_success_at" bigint,
	"last_error_at" bigint,
	"last_error" text,
	"next_turn_at" bigint,
	"deleted_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"org_id" text NOT NULL,
	"number" bigint NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"ticket_id" text NOT NULL,
	"body" "bytea",
	"created_at" bigint NOT NULL,
	CONSTRAINT "events_org_id_number_pk" PRIMARY KEY("org_id","number")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"org_id" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"status" bigint NOT NULL,
	"body" text NOT NULL,
	"location" text,
	"etag" text,
	"created_at" bigint NOT NULL,
	CONSTRAINT "idempotency_keys_org_id_key_pk" PRIMARY KEY("org_id","key")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"role" text NOT NULL,
	"text" text NOT NULL,
	"agent_id" text,
	"agent_name" text,
	"sending" text,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"reopens" boolean DEFAULT true NOT NULL,
	"last_event" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "resend_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"since" bigint NOT NULL,
	"until" bigint NOT NULL,
	"cursor" text DEFAULT '' NOT NULL,
	"resent" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"finished_at" bigint
);
--> statement-breakpoint
CREATE TABLE "ticket_counters" (
	"org_id" text NOT NULL,
	"filter" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "ticket_counters_org_id_filter_pk" PRIMARY KEY("org_id","filter")
);
--> statement-breakpoint
CREATE TABLE "ticket_tags" (
	"org_id" text NOT NULL,
	"tag" text NOT NULL,
	"ticket_id" text NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "ticket_tags_org_id_ticket_id_tag_pk" PRIMARY KEY("org_id","ticket_id","tag")
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"customer_id" text NOT NULL,
	"status" text NOT NULL,
	"channel" text NOT NULL,
	"subject" text NOT NULL,
	"assigned_to" text DEFAULT '' NOT NULL,
	"tags" text NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "resend_jobs" ADD CONSTRAINT "resend_jobs_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_tags" ADD CONSTRAINT "ticket_tags_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_by_email" ON "agents" USING btree ("org_id","email_key");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_by_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_by_organization" ON "api_keys" USING btree ("org_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "customers_by_email" ON "customers" USING btree ("org_id","email_key");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("endpoint_id","due_at","event_number") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_in_flight" ON "deliveries" USING btree ("endpoint_id") WHERE state = 'in_flight';--> statement-breakpoint
CREATE INDEX "deliveries_failed" ON "deliveries" USING btree ("endpoint_id","id","created_at") WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX "deliveries_by_organization" ON "deliveries" USING btree ("org_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_by_state" ON "deliveries" USING btree ("org_id","state","id","endpoint_id");--> statement-breakpoint
CREATE INDEX "deliveries_by_endpoint" ON "deliveries" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "endpoints_by_organization" ON "endpoints" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE INDEX "endpoints_by_turn" ON "endpoints" USING btree ("is_steady","next_turn_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_time" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_by_ticket" ON "messages" USING btree ("org_id","ticket_id","created_at","id");--> statement-breakpoint
CREATE INDEX "resend_jobs_open" ON "resend_jobs" USING btree ("created_at") WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX "ticket_tags_by_created" ON "ticket_tags" USING btree ("org_id","tag","created_at","ticket_id");--> statement-breakpoint
CREATE INDEX "ticket_tags_by_updated" ON "ticket_tags" USING btree ("org_id","tag","updated_at","ticket_id");--> statement-breakpoint
CREATE INDEX "tickets_by_created" ON "tickets" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tickets_by_updated" ON "tickets" USING btree ("org_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "tickets_by_status_created" ON "tickets" USING btree ("org_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "tickets_by_status_updated" ON "tickets" USING btree ("org_id","status","updated_at","id");--> statement-breakpoint
CREATE INDEX "tickets_by_channel_created" ON "tickets" USING btree ("org_id","channel","created_at","id");--> statement-breakpoint
CREATE INDEX "tickets_by_channel_updated" ON "tickets" USING btree ("org_id","channel","updated_at","id");--> statement-breakpoint
CREATE INDEX "tickets_by_assignee_created" ON "tickets" USING btree ("org_id","assigned_to","created_at","id");--> statement-breakpoint
CREATE INDEX "tickets_by_assignee_updated" ON "tickets" USING btree ("org_id","assigned_to","updated_at","id");
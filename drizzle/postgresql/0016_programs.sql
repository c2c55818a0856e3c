CREATE TABLE "grant_tokens" (
	"hash" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"grant_id" text NOT NULL,
	"kind" text NOT NULL,
	"terms" text,
	"used_at" bigint,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "program_grants" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"client_id" text NOT NULL,
	"client_name" text NOT NULL,
	"client_host" text NOT NULL,
	"scopes" text NOT NULL,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "suggestions" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"by_id" text NOT NULL,
	"text" text NOT NULL,
	"format" text NOT NULL,
	"attachment_count" bigint DEFAULT 0 NOT NULL,
	"answers" text NOT NULL,
	"sources" text NOT NULL,
	"confidence" text,
	"state" text DEFAULT 'open' NOT NULL,
	"used_by" text NOT NULL,
	"message_id" text,
	"similarity" text,
	"reason" text DEFAULT '' NOT NULL,
	"created_at" bigint NOT NULL,
	"closed_at" bigint
);
--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "is_suggested" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "grant_tokens" ADD CONSTRAINT "grant_tokens_grant_id_program_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."program_grants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "program_grants" ADD CONSTRAINT "program_grants_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "program_grants" ADD CONSTRAINT "program_grants_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "suggestions" ADD CONSTRAINT "suggestions_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "grant_tokens_by_grant" ON "grant_tokens" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "grant_tokens_by_expiry" ON "grant_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "program_grants_by_agent" ON "program_grants" USING btree ("org_id","agent_id","created_at");--> statement-breakpoint
CREATE INDEX "program_grants_by_expiry" ON "program_grants" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "suggestions_by_ticket" ON "suggestions" USING btree ("ticket_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "suggestions_open" ON "suggestions" USING btree ("org_id","ticket_id","by_id") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "suggestions_by_state" ON "suggestions" USING btree ("org_id","by_id","state");--> statement-breakpoint
CREATE INDEX "suggestions_closed" ON "suggestions" USING btree ("closed_at") WHERE closed_at is not null;--> statement-breakpoint
CREATE INDEX "tickets_suggested" ON "tickets" USING btree ("org_id","id") WHERE is_suggested and status <> 'resolved';
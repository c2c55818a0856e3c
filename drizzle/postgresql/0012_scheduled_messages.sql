CREATE TABLE "scheduled_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"agent_id" text,
	"key_id" text,
	"agent_name" text NOT NULL,
	"text" text NOT NULL,
	"then_status" text,
	"seen_message_id" text,
	"seen_at" bigint,
	"is_forced" boolean DEFAULT false NOT NULL,
	"is_held" boolean DEFAULT false NOT NULL,
	"held_because" text,
	"request_hash" text,
	"send_at" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "ticket_id" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "request_hash" text;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "assign_on_reply" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "scheduled_messages_due" ON "scheduled_messages" USING btree ("is_held","send_at");--> statement-breakpoint
CREATE INDEX "scheduled_messages_by_ticket" ON "scheduled_messages" USING btree ("ticket_id","created_at");--> statement-breakpoint
CREATE INDEX "scheduled_messages_held" ON "scheduled_messages" USING btree ("org_id","ticket_id") WHERE is_held;--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_ticket" ON "idempotency_keys" USING btree ("org_id","ticket_id");--> statement-breakpoint
INSERT INTO scheduled_messages (id, org_id, ticket_id, agent_id, agent_name, text, then_status, seen_message_id, seen_at, is_forced, is_held, held_because, send_at, created_at)
  SELECT replace(id, 'rpl_', 'msg_'), org_id, ticket_id, agent_id, agent_name, text, then_status, last_message_id,
    (SELECT seen.created_at FROM messages seen WHERE seen.id = last_message_id),
    is_forced, is_held, held_because, send_at, created_at
  FROM waiting_replies;--> statement-breakpoint
UPDATE idempotency_keys SET ticket_id = CASE
  WHEN location LIKE '/console/tickets/%' THEN substr(location, 18)
  WHEN body LIKE '{"id":"tkt_%' THEN substr(body, 8, 30)
  ELSE (SELECT answered.ticket_id FROM messages answered WHERE answered.id = substr(body, 8, 30)) END;

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
CREATE INDEX "tickets_by_wake" ON "tickets" USING btree ("org_id","snoozed_until","id") WHERE snoozed_until is not null;
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
INSERT INTO "reaction_cursors" SELECT "id", "last_event" FROM "organizations";
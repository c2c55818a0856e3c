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
CREATE INDEX "mentions_by_ticket" ON "mentions" USING btree ("ticket_id");
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
CREATE INDEX "saved_reply_uses_by_reply" ON "saved_reply_uses" USING btree ("reply_id");
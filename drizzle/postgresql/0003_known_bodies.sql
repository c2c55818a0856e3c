ALTER TABLE "known_mails" DROP CONSTRAINT "known_mails_mailbox_id_message_id_hash_sender_hash_pk";--> statement-breakpoint
ALTER TABLE "known_mails" ADD COLUMN "body_hash" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "known_mails" ADD CONSTRAINT "known_mails_key" PRIMARY KEY("org_id","message_id_hash","sender_hash","body_hash","mailbox_id");--> statement-breakpoint
ALTER TABLE "mails" ADD COLUMN "becomes_ticket" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "known_mails_once" ON "known_mails" USING btree ("org_id","message_id_hash","sender_hash","body_hash") WHERE body_hash <> '';
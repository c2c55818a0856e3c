CREATE TABLE IF NOT EXISTS "backups" (
	"id" text PRIMARY KEY NOT NULL,
	"started_at" bigint NOT NULL,
	"ended_at" bigint NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"error" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "backups_by_start" ON "backups" USING btree ("started_at");
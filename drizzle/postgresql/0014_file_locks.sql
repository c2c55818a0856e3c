CREATE TABLE "file_locks" (
	"hash" text PRIMARY KEY NOT NULL,
	"keepers" bigint NOT NULL,
	"until" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "file_locks_by_end" ON "file_locks" USING btree ("until");
CREATE TABLE "installation" (
	"id" text PRIMARY KEY NOT NULL,
	"secret_fingerprint" text NOT NULL
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "rolling_windows" (
	"key" text PRIMARY KEY NOT NULL,
	"counted" text NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "visitors" ADD COLUMN "connected_until" bigint;
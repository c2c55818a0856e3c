CREATE TABLE "nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"settings" text NOT NULL,
	"started_at" bigint NOT NULL,
	"lease_until" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "partitions" (
	"id" text PRIMARY KEY NOT NULL,
	"node_id" text,
	"token" bigint NOT NULL
);

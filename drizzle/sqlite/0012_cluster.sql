CREATE TABLE `nodes` (
	`id` text PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`settings` text NOT NULL,
	`started_at` integer NOT NULL,
	`lease_until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `partitions` (
	`id` text PRIMARY KEY NOT NULL,
	`node_id` text,
	`token` integer NOT NULL
);

CREATE TABLE `installation` (
	`id` text PRIMARY KEY NOT NULL,
	`secret_fingerprint` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `rolling_windows` (
	`key` text PRIMARY KEY NOT NULL,
	`counted` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `visitors` ADD `connected_until` integer;
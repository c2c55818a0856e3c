CREATE TABLE `file_locks` (
	`hash` text PRIMARY KEY NOT NULL,
	`keepers` integer NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `file_locks_by_end` ON `file_locks` (`until`);
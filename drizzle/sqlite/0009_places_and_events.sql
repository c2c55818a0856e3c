ALTER TABLE `tickets` RENAME COLUMN `is_spam` TO `place`;--> statement-breakpoint
ALTER TABLE `ticket_tags` RENAME COLUMN `is_spam` TO `place`;--> statement-breakpoint
ALTER TABLE `ticket_counters` RENAME COLUMN `is_spam` TO `place`;--> statement-breakpoint
CREATE TABLE `reaction_cursors` (
	`org_id` text PRIMARY KEY NOT NULL,
	`event_number` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `timers` (
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`kind` text NOT NULL,
	`ref` text DEFAULT '' NOT NULL,
	`due_at` integer NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`ticket_id`, `kind`, `ref`),
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `timers_due` ON `timers` (`due_at`);--> statement-breakpoint
ALTER TABLE `events` ADD `message_id` text;--> statement-breakpoint
ALTER TABLE `events` ADD `by_id` text;--> statement-breakpoint
ALTER TABLE `events` ADD `changes` text;--> statement-breakpoint
INSERT INTO `reaction_cursors` SELECT `id`, `last_event` FROM `organizations`;
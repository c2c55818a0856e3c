CREATE TABLE `snoozes` (
	`ticket_id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text,
	`agent_name` text NOT NULL,
	`why` text NOT NULL,
	`until` integer NOT NULL,
	`woken_at` integer,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `tickets` ADD `snoozed_until` integer;--> statement-breakpoint
CREATE INDEX `tickets_by_wake` ON `tickets` (`org_id`,`snoozed_until`,`id`) WHERE snoozed_until is not null;
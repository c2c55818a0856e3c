CREATE TABLE `followers` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`is_following` integer NOT NULL,
	`changed_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_id`, `ticket_id`),
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `followers_by_ticket` ON `followers` (`ticket_id`);--> statement-breakpoint
CREATE TABLE `mentions` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`note_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`seen_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`note_id`, `agent_id`),
	FOREIGN KEY (`note_id`) REFERENCES `notes`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `mentions_by_agent` ON `mentions` (`org_id`,`agent_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `mentions_unseen` ON `mentions` (`org_id`,`agent_id`) WHERE seen_at is null;--> statement-breakpoint
CREATE INDEX `mentions_by_ticket` ON `mentions` (`ticket_id`);
CREATE TABLE `grant_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`grant_id` text NOT NULL,
	`kind` text NOT NULL,
	`terms` text,
	`used_at` integer,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`grant_id`) REFERENCES `program_grants`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `grant_tokens_by_grant` ON `grant_tokens` (`grant_id`);--> statement-breakpoint
CREATE INDEX `grant_tokens_by_expiry` ON `grant_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `program_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`client_id` text NOT NULL,
	`client_name` text NOT NULL,
	`client_host` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `program_grants_by_agent` ON `program_grants` (`org_id`,`agent_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `program_grants_by_expiry` ON `program_grants` (`expires_at`);--> statement-breakpoint
CREATE TABLE `suggestions` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`by_id` text NOT NULL,
	`text` text NOT NULL,
	`format` text NOT NULL,
	`attachment_count` integer DEFAULT 0 NOT NULL,
	`answers` text NOT NULL,
	`sources` text NOT NULL,
	`confidence` text,
	`state` text DEFAULT 'open' NOT NULL,
	`used_by` text NOT NULL,
	`message_id` text,
	`similarity` text,
	`reason` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`closed_at` integer,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `suggestions_by_ticket` ON `suggestions` (`ticket_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `suggestions_open` ON `suggestions` (`org_id`,`ticket_id`,`by_id`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `suggestions_by_state` ON `suggestions` (`org_id`,`by_id`,`state`);--> statement-breakpoint
CREATE INDEX `suggestions_closed` ON `suggestions` (`closed_at`) WHERE closed_at is not null;--> statement-breakpoint
ALTER TABLE `tickets` ADD `is_suggested` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `tickets_suggested` ON `tickets` (`org_id`,`id`) WHERE is_suggested and status <> 'resolved';
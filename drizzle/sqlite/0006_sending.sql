CREATE TABLE `__new_scheduled_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text,
	`opening` text,
	`agent_id` text,
	`key_id` text,
	`agent_name` text NOT NULL,
	`text` text NOT NULL,
	`format` text DEFAULT 'plain' NOT NULL,
	`attachment_count` integer DEFAULT 0 NOT NULL,
	`recipients` text,
	`then_status` text,
	`seen_message_id` text,
	`seen_at` integer,
	`is_forced` integer DEFAULT false NOT NULL,
	`is_held` integer DEFAULT false NOT NULL,
	`held_because` text,
	`request_hash` text,
	`send_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_scheduled_messages`("id", "org_id", "ticket_id", "opening", "agent_id", "key_id", "agent_name", "text", "format", "attachment_count", "recipients", "then_status", "seen_message_id", "seen_at", "is_forced", "is_held", "held_because", "request_hash", "send_at", "created_at") SELECT "id", "org_id", "ticket_id", NULL, "agent_id", "key_id", "agent_name", "text", "format", "attachment_count", "recipients", "then_status", "seen_message_id", "seen_at", "is_forced", "is_held", "held_because", "request_hash", "send_at", "created_at" FROM `scheduled_messages`;--> statement-breakpoint
DROP TABLE `scheduled_messages`;--> statement-breakpoint
ALTER TABLE `__new_scheduled_messages` RENAME TO `scheduled_messages`;--> statement-breakpoint
CREATE INDEX `scheduled_messages_due` ON `scheduled_messages` (`is_held`,`send_at`);--> statement-breakpoint
CREATE INDEX `scheduled_messages_by_ticket` ON `scheduled_messages` (`ticket_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `scheduled_messages_opening` ON `scheduled_messages` (`org_id`,`created_at`) WHERE ticket_id is null;--> statement-breakpoint
CREATE INDEX `scheduled_messages_held` ON `scheduled_messages` (`org_id`,`ticket_id`) WHERE is_held;--> statement-breakpoint
ALTER TABLE `messages` ADD `is_removal_shown` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `undo_email_seconds` integer DEFAULT 10 NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `undo_api_seconds` integer DEFAULT 10 NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `undo_widget_seconds` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `undo_telegram_seconds` integer DEFAULT 0 NOT NULL;
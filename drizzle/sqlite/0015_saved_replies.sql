CREATE TABLE `saved_reply_uses` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`reply_id` text NOT NULL,
	`count` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_id`, `reply_id`),
	FOREIGN KEY (`reply_id`) REFERENCES `saved_replies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `saved_reply_uses_by_reply` ON `saved_reply_uses` (`reply_id`);--> statement-breakpoint
ALTER TABLE `saved_replies` ADD `agent_id` text;--> statement-breakpoint
ALTER TABLE `saved_replies` ADD `is_shared` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `saved_replies` ADD `actions` text;--> statement-breakpoint
ALTER TABLE `saved_replies` ADD `attachment_count` integer DEFAULT 0 NOT NULL;
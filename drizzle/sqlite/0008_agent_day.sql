CREATE TABLE `moved_rows` (
	`org_id` text NOT NULL,
	`move_id` text NOT NULL,
	`kind` text NOT NULL,
	`row_id` text NOT NULL,
	`values` text,
	PRIMARY KEY(`move_id`, `kind`, `row_id`)
);
--> statement-breakpoint
CREATE INDEX `moved_rows_by_row` ON `moved_rows` (`org_id`,`row_id`);--> statement-breakpoint
CREATE TABLE `moves` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`from_id` text NOT NULL,
	`into_id` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`undone_at` integer
);
--> statement-breakpoint
CREATE INDEX `moves_by_from` ON `moves` (`org_id`,`from_id`);--> statement-breakpoint
CREATE INDEX `moves_by_into` ON `moves` (`org_id`,`into_id`);--> statement-breakpoint
ALTER TABLE `tickets` ADD `merged_into` text;--> statement-breakpoint
CREATE INDEX `tickets_merged` ON `tickets` (`org_id`,`merged_into`) WHERE merged_into is not null;--> statement-breakpoint
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
INSERT INTO `reaction_cursors` SELECT `id`, `last_event` FROM `organizations`;--> statement-breakpoint
CREATE TABLE `customer_emails` (
	`org_id` text NOT NULL,
	`email_key` text NOT NULL,
	`email` text NOT NULL,
	`customer_id` text NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`org_id`, `email_key`),
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `customer_emails_by_customer` ON `customer_emails` (`customer_id`,`position`);--> statement-breakpoint
ALTER TABLE `customers` ADD `company` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `customers` ADD `phone` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `customers` ADD `note` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `customers` ADD `merged_into` text;--> statement-breakpoint
CREATE INDEX `customers_by_id` ON `customers` (`org_id`,`id`) WHERE merged_into is null;--> statement-breakpoint
CREATE INDEX `customers_merged` ON `customers` (`merged_into`) WHERE merged_into is not null;--> statement-breakpoint
UPDATE customers SET reindex_after = 'tkt_~' WHERE reindex_after IS NULL;--> statement-breakpoint
CREATE TABLE `notification_emails` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`send_id` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `notification_emails_by_age` ON `notification_emails` (`created_at`);--> statement-breakpoint
CREATE INDEX `notification_emails_by_ticket` ON `notification_emails` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE TABLE `notification_settings` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`ways` text NOT NULL,
	`shows_text` integer DEFAULT true NOT NULL,
	`paused_until` integer,
	`has_summary` integer DEFAULT false NOT NULL,
	`time_zone` text DEFAULT 'UTC' NOT NULL,
	`summary_due_at` integer,
	`email_due_at` integer,
	`last_emailed_at` integer,
	PRIMARY KEY(`org_id`, `agent_id`)
);
--> statement-breakpoint
CREATE INDEX `notification_settings_email_due` ON `notification_settings` (`email_due_at`) WHERE email_due_at is not null;--> statement-breakpoint
CREATE INDEX `notification_settings_summary_due` ON `notification_settings` (`summary_due_at`) WHERE summary_due_at is not null;--> statement-breakpoint
CREATE TABLE `notifications` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`event_number` integer NOT NULL,
	`ticket_id` text NOT NULL,
	`reason` text NOT NULL,
	`message_id` text,
	`by_name` text DEFAULT '' NOT NULL,
	`view_id` text,
	`is_chat` integer DEFAULT false NOT NULL,
	`tickets` integer DEFAULT 1 NOT NULL,
	`seen_at` integer,
	`email_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_id`, `event_number`)
);
--> statement-breakpoint
CREATE INDEX `notifications_unseen` ON `notifications` (`org_id`,`agent_id`,`ticket_id`) WHERE seen_at is null;--> statement-breakpoint
CREATE INDEX `notifications_by_ticket` ON `notifications` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE INDEX `notifications_by_age` ON `notifications` (`created_at`);--> statement-breakpoint
CREATE TABLE `push_keys` (
	`org_id` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key` blob NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `push_subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`session_id` text NOT NULL,
	`endpoint` text NOT NULL,
	`keys` blob NOT NULL,
	`origin` text NOT NULL,
	`device` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`last_sent_at` integer,
	`error` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `push_subscriptions_by_endpoint` ON `push_subscriptions` (`org_id`,`agent_id`,`endpoint`);--> statement-breakpoint
CREATE INDEX `push_subscriptions_by_session` ON `push_subscriptions` (`session_id`);--> statement-breakpoint
CREATE TABLE `pushes` (
	`subscription_id` text NOT NULL,
	`tag` text NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`event_number` integer NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`subscription_id`, `tag`)
);
--> statement-breakpoint
CREATE INDEX `pushes_due` ON `pushes` (`due_at`,`subscription_id`);--> statement-breakpoint
CREATE INDEX `pushes_by_agent` ON `pushes` (`org_id`,`agent_id`,`tag`);--> statement-breakpoint
CREATE TABLE `view_bells` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`view_id` text NOT NULL,
	`push` integer NOT NULL,
	`email` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_id`, `view_id`)
);--> statement-breakpoint
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
CREATE INDEX `mentions_by_ticket` ON `mentions` (`ticket_id`);--> statement-breakpoint
ALTER TABLE `scheduled_messages` ADD `actions` text;--> statement-breakpoint
ALTER TABLE `scheduled_messages` ADD `is_later` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `scheduled_messages_later` ON `scheduled_messages` (`org_id`,`ticket_id`) WHERE is_later and not is_held;--> statement-breakpoint
UPDATE scheduled_messages SET actions = '{"status":"' || then_status || '"}' WHERE then_status IS NOT NULL;--> statement-breakpoint
UPDATE scheduled_messages SET is_later = true WHERE send_at - created_at > 60000;--> statement-breakpoint
ALTER TABLE `scheduled_messages` DROP COLUMN `then_status`;--> statement-breakpoint
ALTER TABLE `drafts` ADD `actions` text;--> statement-breakpoint
ALTER TABLE `drafts` ADD `send_at` integer;--> statement-breakpoint
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
CREATE INDEX `tickets_by_wake` ON `tickets` (`org_id`,`snoozed_until`,`id`) WHERE snoozed_until is not null;--> statement-breakpoint
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
ALTER TABLE `saved_replies` ADD `attachment_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `agents` ADD `sends_by_enter` integer DEFAULT false NOT NULL;
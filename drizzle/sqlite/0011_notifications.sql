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
);

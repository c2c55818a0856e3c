CREATE TABLE `activities` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text NOT NULL,
	`changes` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `activities_by_ticket` ON `activities` (`org_id`,`ticket_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `agent_links` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`purpose` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_links_by_hash` ON `agent_links` (`hash`);--> statement-breakpoint
CREATE INDEX `agent_links_by_agent` ON `agent_links` (`org_id`,`agent_id`);--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text NOT NULL,
	`action` text NOT NULL,
	`subject_id` text,
	`subject_label` text,
	`detail` text,
	`address` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_entries_by_organization` ON `audit_entries` (`org_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_by_action` ON `audit_entries` (`org_id`,`action`,`id`);--> statement-breakpoint
CREATE TABLE `drafts` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`saved_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_id`, `ticket_id`),
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `drafts_by_ticket` ON `drafts` (`ticket_id`);--> statement-breakpoint
CREATE TABLE `notes` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`agent_name` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `notes_by_ticket` ON `notes` (`org_id`,`ticket_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `read_marks` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`message_id` text NOT NULL,
	`message_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_id`, `ticket_id`),
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `read_marks_by_ticket` ON `read_marks` (`ticket_id`);--> statement-breakpoint
CREATE TABLE `saved_replies` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `saved_replies_by_name` ON `saved_replies` (`org_id`,`name`,`id`);--> statement-breakpoint
CREATE TABLE `saved_views` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`is_shared` integer DEFAULT false NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `saved_views_by_organization` ON `saved_views` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `search_cursors` (
	`org_id` text PRIMARY KEY NOT NULL,
	`event_number` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `search_documents` (
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`number` integer NOT NULL,
	PRIMARY KEY(`org_id`, `ticket_id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_documents_by_number` ON `search_documents` (`number`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`hash` text NOT NULL,
	`device` text DEFAULT '' NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_by_hash` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_by_agent` ON `sessions` (`org_id`,`agent_id`,`last_seen_at`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `waiting_replies` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`agent_name` text NOT NULL,
	`text` text NOT NULL,
	`then_status` text,
	`last_message_id` text NOT NULL,
	`is_forced` integer DEFAULT false NOT NULL,
	`is_held` integer DEFAULT false NOT NULL,
	`send_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `waiting_replies_due` ON `waiting_replies` (`is_held`,`send_at`);--> statement-breakpoint
CREATE INDEX `waiting_replies_by_ticket` ON `waiting_replies` (`org_id`,`ticket_id`,`created_at`);--> statement-breakpoint
ALTER TABLE `messages` ADD `send_error` text;--> statement-breakpoint
CREATE INDEX `messages_failed` ON `messages` (`org_id`,`ticket_id`,`id`) WHERE sending in ('failed', 'bounced');--> statement-breakpoint
ALTER TABLE `organizations` ADD `public_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `website` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `signature` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `tickets` ADD `is_spam` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `tickets_spam` ON `tickets` (`org_id`,`updated_at`,`id`) WHERE is_spam;--> statement-breakpoint
CREATE INDEX `tickets_by_customer` ON `tickets` (`org_id`,`customer_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `agents_by_address` ON `agents` (`email_key`);--> statement-breakpoint
CREATE VIRTUAL TABLE `search_index` USING fts5(`text`, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2", prefix='2 3');

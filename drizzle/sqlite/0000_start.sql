CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`role` text NOT NULL,
	`password_hash` text,
	`disabled_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_by_email` ON `agents` (`org_id`,`email_key`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`public_key` text,
	`scopes` text,
	`rate_limit` integer,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_by_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_by_organization` ON `api_keys` (`org_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`delivery_id` text NOT NULL,
	`number` integer NOT NULL,
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`url` text NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer,
	`outcome` text,
	`status` integer,
	`detail` text,
	`request_headers` text,
	`response_headers` text,
	`response_body` blob,
	`is_body_cut` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`delivery_id`, `number`),
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `customers` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`email` text,
	`email_key` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `customers_by_email` ON `customers` (`org_id`,`email_key`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`endpoint_id` text NOT NULL,
	`event_number` integer NOT NULL,
	`event_type` text NOT NULL,
	`ticket_id` text,
	`test_body` blob,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`retries` integer DEFAULT 0 NOT NULL,
	`interruptions` integer DEFAULT 0 NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`manual` integer DEFAULT false NOT NULL,
	`last_error` text,
	`last_status` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`endpoint_id`) REFERENCES `endpoints`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`endpoint_id`,`due_at`,`event_number`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_in_flight` ON `deliveries` (`endpoint_id`) WHERE state = 'in_flight';--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`endpoint_id`,`id`,`created_at`) WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX `deliveries_by_organization` ON `deliveries` (`org_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_state` ON `deliveries` (`org_id`,`state`,`id`,`endpoint_id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_endpoint` ON `deliveries` (`endpoint_id`,`id`);--> statement-breakpoint
CREATE TABLE `endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`url` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`events` text NOT NULL,
	`secret` blob NOT NULL,
	`next_secret` blob,
	`previous_secret` blob,
	`previous_secret_until` integer,
	`off_at` integer,
	`off_reason` text,
	`failing_since` integer,
	`connect_failures` integer DEFAULT 0 NOT NULL,
	`is_steady` integer DEFAULT false NOT NULL,
	`recent_outcomes` text DEFAULT '' NOT NULL,
	`last_success_at` integer,
	`last_error_at` integer,
	`last_error` text,
	`next_turn_at` integer,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `endpoints_by_organization` ON `endpoints` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `endpoints_by_turn` ON `endpoints` (`is_steady`,`next_turn_at`);--> statement-breakpoint
CREATE TABLE `events` (
	`org_id` text NOT NULL,
	`number` integer NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`ticket_id` text NOT NULL,
	`body` blob,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`org_id` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`location` text,
	`etag` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_time` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`role` text NOT NULL,
	`text` text NOT NULL,
	`agent_id` text,
	`agent_name` text,
	`sending` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `messages_by_ticket` ON `messages` (`org_id`,`ticket_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`reopens` integer DEFAULT true NOT NULL,
	`last_event` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `resend_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`endpoint_id` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`cursor` text DEFAULT '' NOT NULL,
	`resent` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`endpoint_id`) REFERENCES `endpoints`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `resend_jobs_open` ON `resend_jobs` (`created_at`) WHERE finished_at is null;--> statement-breakpoint
CREATE TABLE `ticket_counters` (
	`org_id` text NOT NULL,
	`filter` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`org_id`, `filter`)
);
--> statement-breakpoint
CREATE TABLE `ticket_tags` (
	`org_id` text NOT NULL,
	`tag` text NOT NULL,
	`ticket_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `ticket_id`, `tag`),
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `ticket_tags_by_created` ON `ticket_tags` (`org_id`,`tag`,`created_at`,`ticket_id`);--> statement-breakpoint
CREATE INDEX `ticket_tags_by_updated` ON `ticket_tags` (`org_id`,`tag`,`updated_at`,`ticket_id`);--> statement-breakpoint
CREATE TABLE `tickets` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`status` text NOT NULL,
	`channel` text NOT NULL,
	`subject` text NOT NULL,
	`assigned_to` text DEFAULT '' NOT NULL,
	`tags` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `tickets_by_created` ON `tickets` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `tickets_by_updated` ON `tickets` (`org_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `tickets_by_status_created` ON `tickets` (`org_id`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `tickets_by_status_updated` ON `tickets` (`org_id`,`status`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `tickets_by_channel_created` ON `tickets` (`org_id`,`channel`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `tickets_by_channel_updated` ON `tickets` (`org_id`,`channel`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `tickets_by_assignee_created` ON `tickets` (`org_id`,`assigned_to`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `tickets_by_assignee_updated` ON `tickets` (`org_id`,`assigned_to`,`updated_at`,`id`);
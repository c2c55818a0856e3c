ALTER TABLE `agents` ADD `picture` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `agent_id` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `customers` ADD `metadata` text;--> statement-breakpoint
CREATE UNIQUE INDEX `customers_by_external_id` ON `customers` (`org_id`,`external_id`) WHERE external_id is not null;--> statement-breakpoint
ALTER TABLE `events` ADD `customer_id` text;--> statement-breakpoint
ALTER TABLE `messages` ADD `external_id` text;--> statement-breakpoint
CREATE INDEX `messages_by_organization` ON `messages` (`org_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `organizations` ADD `log_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `organizations` ADD `shown_metadata` text;--> statement-breakpoint
ALTER TABLE `tickets` ADD `external_id` text;--> statement-breakpoint
ALTER TABLE `tickets` ADD `metadata` text;--> statement-breakpoint
CREATE UNIQUE INDEX `tickets_by_external_id` ON `tickets` (`org_id`,`external_id`) WHERE external_id is not null;--> statement-breakpoint
ALTER TABLE `endpoints` ADD `filters` text;--> statement-breakpoint
ALTER TABLE `resend_jobs` ADD `kind` text DEFAULT 'failed' NOT NULL;--> statement-breakpoint
ALTER TABLE `resend_jobs` ADD `after_event` integer;--> statement-breakpoint
ALTER TABLE `resend_jobs` ADD `until_event` integer;--> statement-breakpoint
UPDATE `organizations` SET `log_id` = lower(hex(randomblob(6)));

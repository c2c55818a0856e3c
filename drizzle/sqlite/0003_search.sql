ALTER TABLE `search_cursors` ADD `back_at` integer;--> statement-breakpoint
ALTER TABLE `search_cursors` ADD `back_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `tickets_by_status_assignee_updated` ON `tickets` (`org_id`,`status`,`assigned_to`,`updated_at`,`id`);
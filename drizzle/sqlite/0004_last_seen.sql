ALTER TABLE `agents` ADD `last_seen_at` integer;--> statement-breakpoint
CREATE INDEX `agent_links_by_expiry` ON `agent_links` (`expires_at`);
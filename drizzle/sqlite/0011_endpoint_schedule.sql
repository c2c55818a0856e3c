DROP INDEX `endpoints_by_turn`;--> statement-breakpoint
ALTER TABLE `endpoints` RENAME COLUMN `next_turn_at` TO `next_delivery_at`;--> statement-breakpoint
ALTER TABLE `endpoints` RENAME COLUMN `is_steady` TO `is_healthy`;--> statement-breakpoint
CREATE INDEX `endpoints_by_schedule` ON `endpoints` (`is_healthy`,`next_delivery_at`);

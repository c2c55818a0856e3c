DROP INDEX `activities_by_ticket`;--> statement-breakpoint
CREATE INDEX `activities_by_ticket` ON `activities` (`ticket_id`,`created_at`,`id`);--> statement-breakpoint
DROP INDEX `messages_by_ticket`;--> statement-breakpoint
CREATE INDEX `messages_by_ticket` ON `messages` (`ticket_id`,`created_at`,`id`);--> statement-breakpoint
DROP INDEX `notes_by_ticket`;--> statement-breakpoint
CREATE INDEX `notes_by_ticket` ON `notes` (`ticket_id`,`created_at`,`id`);--> statement-breakpoint
DROP INDEX `tickets_by_customer`;--> statement-breakpoint
CREATE INDEX `tickets_by_customer` ON `tickets` (`customer_id`,`updated_at`,`id`);--> statement-breakpoint
DROP INDEX `waiting_replies_by_ticket`;--> statement-breakpoint
CREATE INDEX `waiting_replies_by_ticket` ON `waiting_replies` (`ticket_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `ticket_tags_by_ticket` ON `ticket_tags` (`ticket_id`);
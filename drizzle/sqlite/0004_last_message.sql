DROP INDEX `tickets_by_customer`;--> statement-breakpoint
ALTER TABLE `tickets` ADD `last_message_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tickets` ADD `waiting_order` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `ticket_tags` ADD `last_message_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `ticket_tags` ADD `waiting_order` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE tickets SET last_message_at = coalesce((SELECT max(m.created_at) FROM messages m
	WHERE m.ticket_id = tickets.id AND NOT (m.role = 'agent' AND m.is_automatic)), created_at);--> statement-breakpoint
UPDATE tickets SET waiting_order = coalesce(CASE WHEN status <> 'resolved' THEN (SELECT min(q.created_at) FROM messages q
	WHERE q.ticket_id = tickets.id AND q.role = 'customer' AND NOT q.is_automatic AND coalesce(q.author, '') <> 'third_party'
	AND q.created_at > coalesce((SELECT max(a.created_at) FROM messages a
		WHERE a.ticket_id = tickets.id AND a.role = 'agent' AND NOT a.is_automatic AND a.taken_back_at IS NULL
		AND coalesce(a.author, '') <> 'third_party'), -1)) END, 9000000000000000 - last_message_at);--> statement-breakpoint
UPDATE ticket_tags SET
	last_message_at = (SELECT t.last_message_at FROM tickets t WHERE t.id = ticket_tags.ticket_id),
	waiting_order = (SELECT t.waiting_order FROM tickets t WHERE t.id = ticket_tags.ticket_id);--> statement-breakpoint
CREATE INDEX `tickets_by_messaged` ON `tickets` (`org_id`,`status`,`channel`,`is_spam`,`last_message_at`);--> statement-breakpoint
CREATE INDEX `tickets_by_assignee_messaged` ON `tickets` (`org_id`,`assigned_to`,`status`,`channel`,`is_spam`,`last_message_at`);--> statement-breakpoint
CREATE INDEX `tickets_by_waiting` ON `tickets` (`org_id`,`status`,`channel`,`is_spam`,`waiting_order`);--> statement-breakpoint
CREATE INDEX `tickets_by_assignee_waiting` ON `tickets` (`org_id`,`assigned_to`,`status`,`channel`,`is_spam`,`waiting_order`);--> statement-breakpoint
CREATE INDEX `tickets_by_customer` ON `tickets` (`customer_id`,`last_message_at`);--> statement-breakpoint
CREATE INDEX `ticket_tags_by_messaged` ON `ticket_tags` (`org_id`,`tag`,`status`,`channel`,`is_spam`,`last_message_at`,`ticket_number`);--> statement-breakpoint
CREATE INDEX `ticket_tags_by_assignee_messaged` ON `ticket_tags` (`org_id`,`tag`,`assigned_to`,`status`,`channel`,`is_spam`,`last_message_at`,`ticket_number`);--> statement-breakpoint
CREATE INDEX `ticket_tags_by_waiting` ON `ticket_tags` (`org_id`,`tag`,`status`,`channel`,`is_spam`,`waiting_order`,`ticket_number`);--> statement-breakpoint
CREATE INDEX `ticket_tags_by_assignee_waiting` ON `ticket_tags` (`org_id`,`tag`,`assigned_to`,`status`,`channel`,`is_spam`,`waiting_order`,`ticket_number`);
CREATE TABLE `scheduled_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`agent_id` text,
	`key_id` text,
	`agent_name` text NOT NULL,
	`text` text NOT NULL,
	`then_status` text,
	`seen_message_id` text,
	`seen_at` integer,
	`is_forced` integer DEFAULT false NOT NULL,
	`is_held` integer DEFAULT false NOT NULL,
	`held_because` text,
	`request_hash` text,
	`send_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `scheduled_messages_due` ON `scheduled_messages` (`is_held`,`send_at`);--> statement-breakpoint
CREATE INDEX `scheduled_messages_by_ticket` ON `scheduled_messages` (`ticket_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `scheduled_messages_held` ON `scheduled_messages` (`org_id`,`ticket_id`) WHERE is_held;--> statement-breakpoint
ALTER TABLE `idempotency_keys` ADD `ticket_id` text;--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_ticket` ON `idempotency_keys` (`org_id`,`ticket_id`);--> statement-breakpoint
ALTER TABLE `messages` ADD `request_hash` text;--> statement-breakpoint
ALTER TABLE `organizations` ADD `assign_on_reply` integer DEFAULT true NOT NULL;--> statement-breakpoint
INSERT INTO scheduled_messages (id, org_id, ticket_id, agent_id, agent_name, text, then_status, seen_message_id, seen_at, is_forced, is_held, held_because, send_at, created_at)
  SELECT replace(id, 'rpl_', 'msg_'), org_id, ticket_id, agent_id, agent_name, text, then_status, last_message_id,
    (SELECT seen.created_at FROM messages seen WHERE seen.id = last_message_id),
    is_forced, is_held, held_because, send_at, created_at
  FROM waiting_replies;--> statement-breakpoint
UPDATE idempotency_keys SET ticket_id = CASE
  WHEN location LIKE '/console/tickets/%' THEN substr(location, 18)
  WHEN body LIKE '{"id":"tkt_%' THEN substr(body, 8, 30)
  ELSE (SELECT answered.ticket_id FROM messages answered WHERE answered.id = substr(body, 8, 30)) END;

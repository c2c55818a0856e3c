CREATE TABLE `__new_known_mails` (
	`org_id` text NOT NULL,
	`mailbox_id` text NOT NULL,
	`message_id_hash` text NOT NULL,
	`sender_hash` text NOT NULL,
	`body_hash` text DEFAULT '' NOT NULL,
	`ticket_id` text,
	`message_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `message_id_hash`, `sender_hash`, `body_hash`, `mailbox_id`)
);
--> statement-breakpoint
INSERT INTO `__new_known_mails`("org_id", "mailbox_id", "message_id_hash", "sender_hash", "body_hash", "ticket_id", "message_id", "created_at") SELECT "org_id", "mailbox_id", "message_id_hash", "sender_hash", '', "ticket_id", "message_id", "created_at" FROM `known_mails`;--> statement-breakpoint
DROP TABLE `known_mails`;--> statement-breakpoint
ALTER TABLE `__new_known_mails` RENAME TO `known_mails`;--> statement-breakpoint
CREATE UNIQUE INDEX `known_mails_once` ON `known_mails` (`org_id`,`message_id_hash`,`sender_hash`,`body_hash`) WHERE body_hash <> '';--> statement-breakpoint
CREATE INDEX `known_mails_by_ticket` ON `known_mails` (`org_id`,`ticket_id`);--> statement-breakpoint
ALTER TABLE `mails` ADD `becomes_ticket` integer DEFAULT false NOT NULL;
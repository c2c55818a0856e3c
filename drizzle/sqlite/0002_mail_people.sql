CREATE TABLE `auto_replies` (
	`message_id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`mailbox_id` text NOT NULL,
	`recipient_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `auto_replies_by_mailbox` ON `auto_replies` (`org_id`,`mailbox_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `auto_replies_by_recipient` ON `auto_replies` (`org_id`,`recipient_hash`,`created_at`);--> statement-breakpoint
ALTER TABLE `mailboxes` ADD `aliases` text DEFAULT '[]' NOT NULL;
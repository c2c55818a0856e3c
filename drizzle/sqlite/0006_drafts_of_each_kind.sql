PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_drafts` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`saved_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_id`, `ticket_id`, `kind`),
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_drafts`("org_id", "agent_id", "ticket_id", "kind", "text", "saved_at") SELECT "org_id", "agent_id", "ticket_id", "kind", "text", "saved_at" FROM `drafts`;--> statement-breakpoint
DROP TABLE `drafts`;--> statement-breakpoint
ALTER TABLE `__new_drafts` RENAME TO `drafts`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `drafts_by_ticket` ON `drafts` (`ticket_id`);
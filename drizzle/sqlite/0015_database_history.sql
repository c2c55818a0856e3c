ALTER TABLE `installation` ADD `history` text;--> statement-breakpoint
ALTER TABLE `nodes` ADD `is_retiring` integer DEFAULT false NOT NULL;
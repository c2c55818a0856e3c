CREATE TABLE `moved_rows` (
	`org_id` text NOT NULL,
	`move_id` text NOT NULL,
	`kind` text NOT NULL,
	`row_id` text NOT NULL,
	`values` text,
	PRIMARY KEY(`move_id`, `kind`, `row_id`)
);
--> statement-breakpoint
CREATE INDEX `moved_rows_by_row` ON `moved_rows` (`org_id`,`row_id`);--> statement-breakpoint
CREATE TABLE `moves` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`from_id` text NOT NULL,
	`into_id` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`undone_at` integer
);
--> statement-breakpoint
CREATE INDEX `moves_by_from` ON `moves` (`org_id`,`from_id`);--> statement-breakpoint
CREATE INDEX `moves_by_into` ON `moves` (`org_id`,`into_id`);--> statement-breakpoint
ALTER TABLE `tickets` ADD `merged_into` text;--> statement-breakpoint
CREATE INDEX `tickets_merged` ON `tickets` (`org_id`,`merged_into`) WHERE merged_into is not null;
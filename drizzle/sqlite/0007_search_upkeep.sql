ALTER TABLE `customers` ADD `reindex_after` text;--> statement-breakpoint
CREATE INDEX `customers_to_reindex` ON `customers` (`org_id`,`id`) WHERE reindex_after is not null;--> statement-breakpoint
ALTER TABLE `organizations` ADD `erased_event` integer;--> statement-breakpoint
INSERT INTO `search_index`(`search_index`) VALUES('delete-all');--> statement-breakpoint
DELETE FROM `search_documents`;--> statement-breakpoint
DELETE FROM `search_cursors`;

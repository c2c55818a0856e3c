CREATE TABLE `customer_emails` (
	`org_id` text NOT NULL,
	`email_key` text NOT NULL,
	`email` text NOT NULL,
	`customer_id` text NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`org_id`, `email_key`),
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `customer_emails_by_customer` ON `customer_emails` (`customer_id`,`position`);--> statement-breakpoint
ALTER TABLE `customers` ADD `company` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `customers` ADD `phone` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `customers` ADD `note` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `customers` ADD `merged_into` text;--> statement-breakpoint
CREATE INDEX `customers_by_id` ON `customers` (`org_id`,`id`) WHERE merged_into is null;--> statement-breakpoint
CREATE INDEX `customers_merged` ON `customers` (`merged_into`) WHERE merged_into is not null;--> statement-breakpoint
UPDATE customers SET reindex_after = 'tkt_~' WHERE reindex_after IS NULL;

ALTER TABLE "customers" ADD COLUMN "reindex_after" text;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "erased_event" bigint;--> statement-breakpoint
CREATE INDEX "customers_to_reindex" ON "customers" USING btree ("org_id","id") WHERE reindex_after is not null;--> statement-breakpoint
DELETE FROM "search_index";--> statement-breakpoint
DELETE FROM "search_documents";--> statement-breakpoint
DELETE FROM "search_cursors";

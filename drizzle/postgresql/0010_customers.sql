CREATE TABLE "customer_emails" (
	"org_id" text NOT NULL,
	"email_key" text NOT NULL,
	"email" text NOT NULL,
	"customer_id" text NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "customer_emails_org_id_email_key_pk" PRIMARY KEY("org_id","email_key")
);
--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "company" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "phone" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "note" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "merged_into" text;--> statement-breakpoint
ALTER TABLE "customer_emails" ADD CONSTRAINT "customer_emails_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "customer_emails_by_customer" ON "customer_emails" USING btree ("customer_id","position");--> statement-breakpoint
CREATE INDEX "customers_by_id" ON "customers" USING btree ("org_id","id") WHERE merged_into is null;--> statement-breakpoint
CREATE INDEX "customers_merged" ON "customers" USING btree ("merged_into") WHERE merged_into is not null;--> statement-breakpoint
UPDATE customers SET reindex_after = 'tkt_~' WHERE reindex_after IS NULL;

ALTER TABLE "customers" ADD COLUMN "is_name_typed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "unverified_email" text;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "visitor_number" bigint;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "last_visitor" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE customers SET visitor_number = numbered.place FROM (
  SELECT id, row_number() OVER (PARTITION BY org_id ORDER BY created_at, id) AS place FROM customers
  WHERE id IN (SELECT customer_id FROM customer_identities WHERE channel = 'widget' AND external_id LIKE 'visitor:%')
) AS numbered WHERE numbered.id = customers.id;--> statement-breakpoint
UPDATE customers SET is_name_typed = true, version = version + 1
WHERE visitor_number IS NOT NULL AND email IS NULL AND name <> 'Visitor';--> statement-breakpoint
UPDATE customers SET name = 'Visitor ' || visitor_number, version = version + 1, reindex_after = ''
WHERE visitor_number IS NOT NULL AND name = 'Visitor';--> statement-breakpoint
UPDATE customers SET version = version + 1, unverified_email = typed.typed_email FROM (
  SELECT customer_id, max(typed_email) AS typed_email FROM visitors WHERE typed_email <> '' GROUP BY customer_id
) AS typed WHERE typed.customer_id = customers.id AND customers.email IS NULL;--> statement-breakpoint
UPDATE organizations SET last_visitor = (
  SELECT coalesce(max(visitor_number), 0) FROM customers WHERE customers.org_id = organizations.id
);--> statement-breakpoint
UPDATE visitors SET fields = '{}' WHERE length(fields) > 262144;

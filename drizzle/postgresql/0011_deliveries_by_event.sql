DROP INDEX "deliveries_by_ticket";--> statement-breakpoint
CREATE INDEX "deliveries_by_event" ON "deliveries" USING btree ("org_id","event_number");
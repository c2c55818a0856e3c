CREATE INDEX "deliveries_by_ticket" ON "deliveries" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "events_by_ticket" ON "events" USING btree ("org_id","ticket_id") WHERE body is not null;--> statement-breakpoint
INSERT INTO "ticket_counters" ("org_id", "filter", "count")
SELECT t.org_id, 'status:' || t.status || ',tag:' || g.tag, count(*)
FROM "ticket_tags" g JOIN "tickets" t ON t.id = g.ticket_id
GROUP BY t.org_id, t.status, g.tag;

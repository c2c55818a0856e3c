DROP INDEX "activities_by_ticket";--> statement-breakpoint
DROP INDEX "messages_by_ticket";--> statement-breakpoint
DROP INDEX "notes_by_ticket";--> statement-breakpoint
DROP INDEX "tickets_by_customer";--> statement-breakpoint
DROP INDEX "waiting_replies_by_ticket";--> statement-breakpoint
CREATE INDEX "ticket_tags_by_ticket" ON "ticket_tags" USING btree ("ticket_id");--> statement-breakpoint
CREATE INDEX "activities_by_ticket" ON "activities" USING btree ("ticket_id","created_at","id");--> statement-breakpoint
CREATE INDEX "messages_by_ticket" ON "messages" USING btree ("ticket_id","created_at","id");--> statement-breakpoint
CREATE INDEX "notes_by_ticket" ON "notes" USING btree ("ticket_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tickets_by_customer" ON "tickets" USING btree ("customer_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "waiting_replies_by_ticket" ON "waiting_replies" USING btree ("ticket_id","created_at");
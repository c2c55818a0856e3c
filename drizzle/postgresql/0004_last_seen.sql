ALTER TABLE "agents" ADD COLUMN "last_seen_at" bigint;--> statement-breakpoint
CREATE INDEX "agent_links_by_expiry" ON "agent_links" USING btree ("expires_at");
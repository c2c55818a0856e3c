ALTER TABLE "installation" ADD COLUMN "history" text;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "is_retiring" boolean DEFAULT false NOT NULL;
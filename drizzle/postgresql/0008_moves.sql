CREATE TABLE "moved_rows" (
	"org_id" text NOT NULL,
	"move_id" text NOT NULL,
	"kind" text NOT NULL,
	"row_id" text NOT NULL,
	"values" text,
	CONSTRAINT "moved_rows_move_id_kind_row_id_pk" PRIMARY KEY("move_id","kind","row_id")
);
--> statement-breakpoint
CREATE TABLE "moves" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"kind" text NOT NULL,
	"from_id" text NOT NULL,
	"into_id" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"actor_name" text NOT NULL,
	"created_at" bigint NOT NULL,
	"undone_at" bigint
);
--> statement-breakpoint
ALTER TABLE "tickets" ADD COLUMN "merged_into" text;--> statement-breakpoint
CREATE INDEX "moved_rows_by_row" ON "moved_rows" USING btree ("org_id","row_id");--> statement-breakpoint
CREATE INDEX "moves_by_from" ON "moves" USING btree ("org_id","from_id");--> statement-breakpoint
CREATE INDEX "moves_by_into" ON "moves" USING btree ("org_id","into_id");--> statement-breakpoint
CREATE INDEX "tickets_merged" ON "tickets" USING btree ("org_id","merged_into") WHERE merged_into is not null;
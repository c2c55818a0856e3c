CREATE TABLE "agents" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_key" text NOT NULL,
	"signature" text DEFAULT '' NOT NULL,
	"role" text NOT NULL,
	"password_hash" text,
	"last_seen_at" bigint,
	"disabled_at" bigint,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"public_key" text,
	"scopes" text,
	"rate_limit" bigint,
	"expires_at" bigint,
	"revoked_at" bigint,
	"last_used_at" bigint,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attachments" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text,
	"owner_id" text,
	"uploaded_by" text,
	"hash" text NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"size" bigint NOT NULL,
	"width" bigint,
	"height" bigint,
	"content_id" text,
	"is_inline" boolean DEFAULT false NOT NULL,
	"position" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"actor_name" text NOT NULL,
	"action" text NOT NULL,
	"subject_id" text,
	"subject_label" text,
	"detail" text,
	"address" text,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bots" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"name" text NOT NULL,
	"telegram_id" text NOT NULL,
	"username" text NOT NULL,
	"state" text NOT NULL,
	"token" "bytea",
	"receives" text DEFAULT 'polling' NOT NULL,
	"webhook" "bytea",
	"webhook_hash" text,
	"offset" bigint DEFAULT 0 NOT NULL,
	"greeting" text DEFAULT '' NOT NULL,
	"new_ticket_after_days" bigint,
	"shows_typing" boolean DEFAULT true NOT NULL,
	"default_assignee" text DEFAULT '' NOT NULL,
	"last_update_at" bigint,
	"last_sent_at" bigint,
	"last_checked_at" bigint,
	"receive_error" text DEFAULT '' NOT NULL,
	"send_error" text DEFAULT '' NOT NULL,
	"receive_failing_since" bigint,
	"send_failing_since" bigint,
	"alerted_at" bigint,
	"foreign_webhook" text DEFAULT '' NOT NULL,
	"missed_since" bigint,
	"unknown_updates" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"deleted_at" bigint
);
--> statement-breakpoint
CREATE TABLE "telegram_chats" (
	"org_id" text NOT NULL,
	"bot_id" text NOT NULL,
	"chat_id" text NOT NULL,
	"ticket_id" text,
	"customer_id" text,
	"name" text DEFAULT '' NOT NULL,
	"username" text DEFAULT '' NOT NULL,
	"language" text DEFAULT '' NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"state_at" bigint,
	"is_group_told" boolean DEFAULT false NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "telegram_chats_bot_id_chat_id_pk" PRIMARY KEY("bot_id","chat_id")
);
--> statement-breakpoint
CREATE TABLE "telegram_conversations" (
	"ticket_id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"bot_id" text NOT NULL,
	"chat_id" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "telegram_files" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"message_id" text NOT NULL,
	"bot_id" text NOT NULL,
	"file_id" text NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"size" bigint,
	"position" bigint NOT NULL,
	"state" text NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"due_at" bigint NOT NULL,
	"error" text DEFAULT '' NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "telegram_messages" (
	"org_id" text NOT NULL,
	"bot_id" text NOT NULL,
	"chat_id" text NOT NULL,
	"telegram_message_id" bigint NOT NULL,
	"direction" text NOT NULL,
	"ticket_id" text,
	"message_id" text,
	"album" text,
	"file" text,
	"created_at" bigint NOT NULL,
	CONSTRAINT "telegram_messages_bot_id_chat_id_telegram_message_id_pk" PRIMARY KEY("bot_id","chat_id","telegram_message_id")
);
--> statement-breakpoint
CREATE TABLE "telegram_updates" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"bot_id" text NOT NULL,
	"update_id" bigint NOT NULL,
	"chat_id" text DEFAULT '' NOT NULL,
	"kind" text NOT NULL,
	"album" text,
	"raw" text,
	"state" text NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"due_at" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"processed_at" bigint
);
--> statement-breakpoint
CREATE TABLE "customer_identities" (
	"org_id" text NOT NULL,
	"channel" text NOT NULL,
	"external_id" text NOT NULL,
	"customer_id" text NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "customer_identities_org_id_channel_external_id_pk" PRIMARY KEY("org_id","channel","external_id")
);
--> statement-breakpoint
CREATE TABLE "customers" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"name" text NOT NULL,
	"email" text,
	"email_key" text,
	"is_name_guessed" boolean DEFAULT false NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"reindex_after" text,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"org_id" text NOT NULL,
	"number" bigint NOT NULL,
	"type" text NOT NULL,
	"ticket_id" text NOT NULL,
	"body" "bytea",
	"created_at" bigint NOT NULL,
	CONSTRAINT "events_org_id_number_pk" PRIMARY KEY("org_id","number")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"org_id" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"ticket_id" text,
	"status" bigint NOT NULL,
	"body" text NOT NULL,
	"location" text,
	"etag" text,
	"created_at" bigint NOT NULL,
	CONSTRAINT "idempotency_keys_org_id_key_pk" PRIMARY KEY("org_id","key")
);
--> statement-breakpoint
CREATE TABLE "known_mails" (
	"org_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"message_id_hash" text NOT NULL,
	"sender_hash" text NOT NULL,
	"ticket_id" text,
	"message_id" text,
	"created_at" bigint NOT NULL,
	CONSTRAINT "known_mails_mailbox_id_message_id_hash_sender_hash_pk" PRIMARY KEY("mailbox_id","message_id_hash","sender_hash")
);
--> statement-breakpoint
CREATE TABLE "mail_folders" (
	"org_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"name" text NOT NULL,
	"uid_validity" text NOT NULL,
	"last_uid" bigint NOT NULL,
	"start_uid" bigint NOT NULL,
	"checked_at" bigint NOT NULL,
	CONSTRAINT "mail_folders_mailbox_id_name_pk" PRIMARY KEY("mailbox_id","name")
);
--> statement-breakpoint
CREATE TABLE "mailboxes" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"name" text NOT NULL,
	"address" text NOT NULL,
	"address_key" text,
	"state" text NOT NULL,
	"sign_in" text NOT NULL,
	"imap" text NOT NULL,
	"smtp" text NOT NULL,
	"imap_password" "bytea",
	"smtp_password" "bytea",
	"tokens" "bytea",
	"tokens_version" bigint DEFAULT 0 NOT NULL,
	"folders" text NOT NULL,
	"import_since" bigint,
	"sent_folder" text DEFAULT '' NOT NULL,
	"signature" text DEFAULT '' NOT NULL,
	"default_assignee" text DEFAULT '' NOT NULL,
	"auto_reply" text DEFAULT '' NOT NULL,
	"has_subaddresses" boolean,
	"authserv_id" text DEFAULT '' NOT NULL,
	"has_subject_tokens" boolean DEFAULT false NOT NULL,
	"dkim" text,
	"dkim_key" "bytea",
	"is_default" boolean DEFAULT false NOT NULL,
	"last_received_at" bigint,
	"last_sent_at" bigint,
	"last_checked_at" bigint,
	"receive_error" text DEFAULT '' NOT NULL,
	"send_error" text DEFAULT '' NOT NULL,
	"receive_failing_since" bigint,
	"send_failing_since" bigint,
	"sign_in_refusals" bigint DEFAULT 0 NOT NULL,
	"on_server" bigint,
	"unfetched" bigint,
	"alerted_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"deleted_at" bigint
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"folder" text NOT NULL,
	"uid_validity" text NOT NULL,
	"uid" bigint NOT NULL,
	"hash" text,
	"size" bigint NOT NULL,
	"received_at" bigint NOT NULL,
	"outcome" text NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"from_address" text DEFAULT '' NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"ticket_id" text,
	"message_id" text,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"processed_at" bigint
);
--> statement-breakpoint
CREATE TABLE "oauth_clients" (
	"org_id" text NOT NULL,
	"provider" text NOT NULL,
	"client_id" text NOT NULL,
	"client_secret" "bytea" NOT NULL,
	"tenant" text DEFAULT '' NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "oauth_clients_org_id_provider_pk" PRIMARY KEY("org_id","provider")
);
--> statement-breakpoint
CREATE TABLE "oauth_sign_ins" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"verifier" "bytea" NOT NULL,
	"redirect_url" text NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_contents" (
	"message_id" text NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"quoted" text,
	"html" text,
	"mail_id" text,
	CONSTRAINT "message_contents_message_id_pk" PRIMARY KEY("message_id")
);
--> statement-breakpoint
CREATE TABLE "message_edits" (
	"message_id" text NOT NULL,
	"version" bigint NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"text" text NOT NULL,
	"format" text NOT NULL,
	"edited_at" bigint NOT NULL,
	CONSTRAINT "message_edits_message_id_version_pk" PRIMARY KEY("message_id","version")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"role" text NOT NULL,
	"text" text NOT NULL,
	"format" text DEFAULT 'plain' NOT NULL,
	"is_automatic" boolean DEFAULT false NOT NULL,
	"author" text,
	"author_name" text,
	"email" text,
	"has_html" boolean DEFAULT false NOT NULL,
	"has_quote" boolean DEFAULT false NOT NULL,
	"is_html_formatted" boolean DEFAULT false NOT NULL,
	"has_remote_images" boolean DEFAULT false NOT NULL,
	"attachment_count" bigint DEFAULT 0 NOT NULL,
	"agent_id" text,
	"agent_name" text,
	"sending" text,
	"send_error" text,
	"request_hash" text,
	"telegram" text,
	"edited_at" bigint,
	"taken_back_at" bigint,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"reopens" boolean DEFAULT true NOT NULL,
	"assign_on_reply" boolean DEFAULT true NOT NULL,
	"public_name" text DEFAULT '' NOT NULL,
	"website" text DEFAULT '' NOT NULL,
	"emails_api_tickets" boolean DEFAULT false NOT NULL,
	"signature" text DEFAULT '' NOT NULL,
	"last_event" bigint DEFAULT 0 NOT NULL,
	"erased_event" bigint,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "saved_replies" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"name" text NOT NULL,
	"text" text NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"is_shared" boolean DEFAULT false NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "scheduled_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"agent_id" text,
	"key_id" text,
	"agent_name" text NOT NULL,
	"text" text NOT NULL,
	"format" text DEFAULT 'plain' NOT NULL,
	"attachment_count" bigint DEFAULT 0 NOT NULL,
	"recipients" text,
	"then_status" text,
	"seen_message_id" text,
	"seen_at" bigint,
	"is_forced" boolean DEFAULT false NOT NULL,
	"is_held" boolean DEFAULT false NOT NULL,
	"held_because" text,
	"request_hash" text,
	"send_at" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_cursors" (
	"org_id" text PRIMARY KEY NOT NULL,
	"event_number" bigint NOT NULL,
	"back_at" bigint,
	"back_id" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_documents" (
	"number" bigserial PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	CONSTRAINT "search_documents_ticketId_unique" UNIQUE("ticket_id")
);
--> statement-breakpoint
CREATE TABLE "sends" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"message_id" text,
	"channel" text NOT NULL,
	"lane_id" text NOT NULL,
	"conversation" text NOT NULL,
	"content" text NOT NULL,
	"state" text NOT NULL,
	"due_at" bigint NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"external_id" text,
	"error" text DEFAULT '' NOT NULL,
	"outcomes" text NOT NULL,
	"created_at" bigint NOT NULL,
	"finished_at" bigint
);
--> statement-breakpoint
CREATE TABLE "agent_links" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"purpose" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"hash" text NOT NULL,
	"device" text DEFAULT '' NOT NULL,
	"address" text DEFAULT '' NOT NULL,
	"created_at" bigint NOT NULL,
	"last_seen_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "activities" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" text,
	"actor_name" text NOT NULL,
	"changes" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "drafts" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"kind" text NOT NULL,
	"text" text NOT NULL,
	"attachments" text NOT NULL,
	"recipients" text,
	"saved_at" bigint NOT NULL,
	CONSTRAINT "drafts_org_id_agent_id_ticket_id_kind_pk" PRIMARY KEY("org_id","agent_id","ticket_id","kind")
);
--> statement-breakpoint
CREATE TABLE "notes" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"agent_name" text NOT NULL,
	"text" text NOT NULL,
	"format" text DEFAULT 'plain' NOT NULL,
	"attachment_count" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "read_marks" (
	"org_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"message_id" text NOT NULL,
	"message_at" bigint NOT NULL,
	CONSTRAINT "read_marks_org_id_agent_id_ticket_id_pk" PRIMARY KEY("org_id","agent_id","ticket_id")
);
--> statement-breakpoint
CREATE TABLE "ticket_counters" (
	"org_id" text NOT NULL,
	"assigned_to" text NOT NULL,
	"status" text NOT NULL,
	"tag" text NOT NULL,
	"channel" text NOT NULL,
	"is_spam" boolean NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "ticket_counters_org_id_assigned_to_status_tag_channel_is_spam_pk" PRIMARY KEY("org_id","assigned_to","status","tag","channel","is_spam")
);
--> statement-breakpoint
CREATE TABLE "ticket_tags" (
	"org_id" text NOT NULL,
	"tag" text NOT NULL,
	"ticket_id" text NOT NULL,
	"ticket_number" bigint NOT NULL,
	"status" text NOT NULL,
	"channel" text NOT NULL,
	"assigned_to" text NOT NULL,
	"is_spam" boolean NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "ticket_tags_ticket_id_tag_pk" PRIMARY KEY("ticket_id","tag")
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"number" bigserial PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"org_id" text NOT NULL,
	"customer_id" text NOT NULL,
	"status" text NOT NULL,
	"channel" text NOT NULL,
	"subject" text NOT NULL,
	"assigned_to" text DEFAULT '' NOT NULL,
	"tags" text NOT NULL,
	"mailbox_id" text DEFAULT '' NOT NULL,
	"is_spam" boolean DEFAULT false NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "tickets_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"delivery_id" text NOT NULL,
	"number" bigint NOT NULL,
	"org_id" text NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"started_at" bigint NOT NULL,
	"duration_ms" bigint,
	"outcome" text,
	"status" bigint,
	"detail" text,
	"request_headers" text,
	"response_headers" text,
	"response_body" "bytea",
	"is_body_cut" boolean DEFAULT false NOT NULL,
	CONSTRAINT "attempts_delivery_id_number_pk" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_number" bigint NOT NULL,
	"event_type" text NOT NULL,
	"ticket_id" text,
	"test_body" "bytea",
	"state" text NOT NULL,
	"due_at" bigint NOT NULL,
	"retries" bigint DEFAULT 0 NOT NULL,
	"interruptions" bigint DEFAULT 0 NOT NULL,
	"attempt" bigint DEFAULT 0 NOT NULL,
	"manual" boolean DEFAULT false NOT NULL,
	"last_error" text,
	"last_status" bigint,
	"created_at" bigint NOT NULL,
	"finished_at" bigint
);
--> statement-breakpoint
CREATE TABLE "endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"url" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"events" text NOT NULL,
	"secret" "bytea" NOT NULL,
	"next_secret" "bytea",
	"previous_secret" "bytea",
	"previous_secret_until" bigint,
	"off_at" bigint,
	"off_reason" text,
	"failing_since" bigint,
	"connect_failures" bigint DEFAULT 0 NOT NULL,
	"is_healthy" boolean DEFAULT false NOT NULL,
	"recent_outcomes" text DEFAULT '' NOT NULL,
	"last_success_at" bigint,
	"last_error_at" bigint,
	"last_error" text,
	"next_delivery_at" bigint,
	"deleted_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "resend_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"since" bigint NOT NULL,
	"until" bigint NOT NULL,
	"cursor" text DEFAULT '' NOT NULL,
	"resent" bigint DEFAULT 0 NOT NULL,
	"created_at" bigint NOT NULL,
	"finished_at" bigint
);
--> statement-breakpoint
CREATE TABLE "blocked_addresses" (
	"org_id" text NOT NULL,
	"address" text NOT NULL,
	"agent_id" text NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "blocked_addresses_org_id_address_pk" PRIMARY KEY("org_id","address")
);
--> statement-breakpoint
CREATE TABLE "emailed_visitors" (
	"org_id" text NOT NULL,
	"address_key" text NOT NULL,
	"unanswered" bigint NOT NULL,
	"answered_at" bigint,
	CONSTRAINT "emailed_visitors_org_id_address_key_pk" PRIMARY KEY("org_id","address_key")
);
--> statement-breakpoint
CREATE TABLE "visitors" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"widget_id" text NOT NULL,
	"token_hash" text,
	"token_expires_at" bigint NOT NULL,
	"customer_id" text,
	"user_id" text,
	"verified_name" text DEFAULT '' NOT NULL,
	"verified_email" text DEFAULT '' NOT NULL,
	"typed_name" text DEFAULT '' NOT NULL,
	"typed_email" text DEFAULT '' NOT NULL,
	"fields" text NOT NULL,
	"page_url" text DEFAULT '' NOT NULL,
	"page_title" text DEFAULT '' NOT NULL,
	"browser" text DEFAULT '' NOT NULL,
	"language" text DEFAULT '' NOT NULL,
	"time_zone" text DEFAULT '' NOT NULL,
	"address" text DEFAULT '' NOT NULL,
	"last_seen_at" bigint NOT NULL,
	"blocked_at" bigint,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "widget_conversations" (
	"ticket_id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"widget_id" text NOT NULL,
	"visitor_id" text NOT NULL,
	"user_id" text,
	"client_id" text NOT NULL,
	"seen_message_id" text DEFAULT '' NOT NULL,
	"seen_at" bigint,
	"seen_by_agent_at" bigint,
	"email_due_at" bigint,
	"last_emailed_at" bigint,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "widget_messages" (
	"org_id" text NOT NULL,
	"visitor_id" text NOT NULL,
	"client_id" text NOT NULL,
	"ticket_id" text NOT NULL,
	"message_id" text NOT NULL,
	"request_hash" text NOT NULL,
	CONSTRAINT "widget_messages_visitor_id_client_id_pk" PRIMARY KEY("visitor_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "widgets" (
	"id" text PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"name" text NOT NULL,
	"key_id" text NOT NULL,
	"state" text NOT NULL,
	"origins" text NOT NULL,
	"appearance" text NOT NULL,
	"questions" text NOT NULL,
	"hours" text,
	"verified_only" boolean DEFAULT false NOT NULL,
	"telegram_bot_id" text DEFAULT '' NOT NULL,
	"identity_secret" "bytea" NOT NULL,
	"previous_identity_secret" "bytea",
	"previous_identity_secret_until" bigint,
	"seen_url" text DEFAULT '' NOT NULL,
	"seen_at" bigint,
	"refused_origin" text DEFAULT '' NOT NULL,
	"refused_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"deleted_at" bigint
);
--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bots" ADD CONSTRAINT "bots_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "telegram_chats" ADD CONSTRAINT "telegram_chats_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "telegram_updates" ADD CONSTRAINT "telegram_updates_bot_id_bots_id_fk" FOREIGN KEY ("bot_id") REFERENCES "public"."bots"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customer_identities" ADD CONSTRAINT "customer_identities_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_folders" ADD CONSTRAINT "mail_folders_mailbox_id_mailboxes_id_fk" FOREIGN KEY ("mailbox_id") REFERENCES "public"."mailboxes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_mailbox_id_mailboxes_id_fk" FOREIGN KEY ("mailbox_id") REFERENCES "public"."mailboxes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_clients" ADD CONSTRAINT "oauth_clients_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_contents" ADD CONSTRAINT "message_contents_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_edits" ADD CONSTRAINT "message_edits_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_replies" ADD CONSTRAINT "saved_replies_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "scheduled_messages" ADD CONSTRAINT "scheduled_messages_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sends" ADD CONSTRAINT "sends_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_links" ADD CONSTRAINT "agent_links_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_links" ADD CONSTRAINT "agent_links_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "activities" ADD CONSTRAINT "activities_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "drafts" ADD CONSTRAINT "drafts_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "read_marks" ADD CONSTRAINT "read_marks_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ticket_tags" ADD CONSTRAINT "ticket_tags_ticket_id_tickets_id_fk" FOREIGN KEY ("ticket_id") REFERENCES "public"."tickets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "resend_jobs" ADD CONSTRAINT "resend_jobs_endpoint_id_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."endpoints"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "visitors" ADD CONSTRAINT "visitors_widget_id_widgets_id_fk" FOREIGN KEY ("widget_id") REFERENCES "public"."widgets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "widgets" ADD CONSTRAINT "widgets_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "widgets" ADD CONSTRAINT "widgets_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_by_email" ON "agents" USING btree ("org_id","email_key");--> statement-breakpoint
CREATE INDEX "agents_by_address" ON "agents" USING btree ("email_key");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_by_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_by_organization" ON "api_keys" USING btree ("org_id","created_at");--> statement-breakpoint
CREATE INDEX "attachments_by_owner" ON "attachments" USING btree ("org_id","owner_id","position");--> statement-breakpoint
CREATE INDEX "attachments_by_ticket" ON "attachments" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "attachments_by_hash" ON "attachments" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "attachments_unsent" ON "attachments" USING btree ("created_at") WHERE owner_id is null;--> statement-breakpoint
CREATE INDEX "audit_entries_by_organization" ON "audit_entries" USING btree ("org_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_by_action" ON "audit_entries" USING btree ("org_id","action","id");--> statement-breakpoint
CREATE UNIQUE INDEX "bots_by_telegram_id" ON "bots" USING btree ("telegram_id") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "bots_by_webhook" ON "bots" USING btree ("webhook_hash");--> statement-breakpoint
CREATE INDEX "bots_by_organization" ON "bots" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE INDEX "telegram_chats_by_ticket" ON "telegram_chats" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "telegram_chats_by_customer" ON "telegram_chats" USING btree ("org_id","customer_id");--> statement-breakpoint
CREATE INDEX "telegram_conversations_by_chat" ON "telegram_conversations" USING btree ("bot_id","chat_id");--> statement-breakpoint
CREATE INDEX "telegram_files_due" ON "telegram_files" USING btree ("due_at","id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "telegram_files_by_message" ON "telegram_files" USING btree ("org_id","message_id");--> statement-breakpoint
CREATE INDEX "telegram_files_by_ticket" ON "telegram_files" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "telegram_messages_by_ticket" ON "telegram_messages" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "telegram_messages_by_message" ON "telegram_messages" USING btree ("org_id","message_id");--> statement-breakpoint
CREATE INDEX "telegram_messages_by_album" ON "telegram_messages" USING btree ("bot_id","chat_id","album") WHERE album is not null;--> statement-breakpoint
CREATE INDEX "telegram_updates_pending" ON "telegram_updates" USING btree ("bot_id","chat_id","id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "telegram_updates_by_bot" ON "telegram_updates" USING btree ("org_id","bot_id","state","id");--> statement-breakpoint
CREATE INDEX "telegram_updates_by_chat" ON "telegram_updates" USING btree ("bot_id","chat_id","id");--> statement-breakpoint
CREATE INDEX "telegram_updates_processed" ON "telegram_updates" USING btree ("processed_at") WHERE processed_at is not null;--> statement-breakpoint
CREATE INDEX "customer_identities_by_customer" ON "customer_identities" USING btree ("customer_id");--> statement-breakpoint
CREATE UNIQUE INDEX "customers_by_email" ON "customers" USING btree ("org_id","email_key");--> statement-breakpoint
CREATE INDEX "customers_to_reindex" ON "customers" USING btree ("org_id","id") WHERE reindex_after is not null;--> statement-breakpoint
CREATE INDEX "events_by_ticket" ON "events" USING btree ("org_id","ticket_id") WHERE body is not null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_time" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_ticket" ON "idempotency_keys" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "known_mails_by_ticket" ON "known_mails" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mailboxes_by_address" ON "mailboxes" USING btree ("org_id","address_key");--> statement-breakpoint
CREATE INDEX "mailboxes_by_organization" ON "mailboxes" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "mails_by_uid" ON "mails" USING btree ("mailbox_id","folder","uid_validity","uid");--> statement-breakpoint
CREATE INDEX "mails_by_organization" ON "mails" USING btree ("org_id","id");--> statement-breakpoint
CREATE INDEX "mails_by_outcome" ON "mails" USING btree ("org_id","outcome","id");--> statement-breakpoint
CREATE INDEX "mails_by_mailbox" ON "mails" USING btree ("mailbox_id","outcome","id");--> statement-breakpoint
CREATE INDEX "mails_pending" ON "mails" USING btree ("mailbox_id","attempts","id") WHERE outcome = 'pending';--> statement-breakpoint
CREATE INDEX "mails_by_ticket" ON "mails" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "mails_by_hash" ON "mails" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "message_contents_by_ticket" ON "message_contents" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "message_edits_by_ticket" ON "message_edits" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "messages_by_ticket" ON "messages" USING btree ("ticket_id","created_at","id");--> statement-breakpoint
CREATE INDEX "messages_failed" ON "messages" USING btree ("org_id","ticket_id","id") WHERE sending in ('failed', 'bounced');--> statement-breakpoint
CREATE INDEX "saved_replies_by_name" ON "saved_replies" USING btree ("org_id","name","id");--> statement-breakpoint
CREATE INDEX "saved_views_by_organization" ON "saved_views" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE INDEX "scheduled_messages_due" ON "scheduled_messages" USING btree ("is_held","send_at");--> statement-breakpoint
CREATE INDEX "scheduled_messages_by_ticket" ON "scheduled_messages" USING btree ("ticket_id","created_at");--> statement-breakpoint
CREATE INDEX "scheduled_messages_held" ON "scheduled_messages" USING btree ("org_id","ticket_id") WHERE is_held;--> statement-breakpoint
CREATE INDEX "sends_due" ON "sends" USING btree ("due_at","id") WHERE state in ('waiting', 'sending');--> statement-breakpoint
CREATE INDEX "sends_by_lane" ON "sends" USING btree ("lane_id","due_at","id") WHERE state in ('waiting', 'sending');--> statement-breakpoint
CREATE INDEX "sends_by_conversation" ON "sends" USING btree ("conversation","id") WHERE state in ('waiting', 'sending');--> statement-breakpoint
CREATE INDEX "sends_reached" ON "sends" USING btree ("finished_at") WHERE state = 'sent' and error = '';--> statement-breakpoint
CREATE INDEX "sends_by_message" ON "sends" USING btree ("org_id","message_id");--> statement-breakpoint
CREATE INDEX "sends_by_ticket" ON "sends" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "sends_by_external_id" ON "sends" USING btree ("org_id","external_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_links_by_hash" ON "agent_links" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "agent_links_by_agent" ON "agent_links" USING btree ("org_id","agent_id");--> statement-breakpoint
CREATE INDEX "agent_links_by_expiry" ON "agent_links" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_by_hash" ON "sessions" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "sessions_by_agent" ON "sessions" USING btree ("org_id","agent_id","last_seen_at");--> statement-breakpoint
CREATE INDEX "sessions_by_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "activities_by_ticket" ON "activities" USING btree ("ticket_id","created_at","id");--> statement-breakpoint
CREATE INDEX "drafts_by_ticket" ON "drafts" USING btree ("ticket_id");--> statement-breakpoint
CREATE INDEX "notes_by_ticket" ON "notes" USING btree ("ticket_id","created_at","id");--> statement-breakpoint
CREATE INDEX "read_marks_by_ticket" ON "read_marks" USING btree ("ticket_id");--> statement-breakpoint
CREATE INDEX "ticket_tags_by_created" ON "ticket_tags" USING btree ("org_id","tag","status","channel","is_spam","created_at","ticket_number");--> statement-breakpoint
CREATE INDEX "ticket_tags_by_updated" ON "ticket_tags" USING btree ("org_id","tag","status","channel","is_spam","updated_at","ticket_number");--> statement-breakpoint
CREATE INDEX "ticket_tags_by_assignee_created" ON "ticket_tags" USING btree ("org_id","tag","assigned_to","status","channel","is_spam","created_at","ticket_number");--> statement-breakpoint
CREATE INDEX "ticket_tags_by_assignee_updated" ON "ticket_tags" USING btree ("org_id","tag","assigned_to","status","channel","is_spam","updated_at","ticket_number");--> statement-breakpoint
CREATE INDEX "tickets_by_created" ON "tickets" USING btree ("org_id","status","channel","is_spam","created_at","number");--> statement-breakpoint
CREATE INDEX "tickets_by_updated" ON "tickets" USING btree ("org_id","status","channel","is_spam","updated_at","number");--> statement-breakpoint
CREATE INDEX "tickets_by_assignee_created" ON "tickets" USING btree ("org_id","assigned_to","status","channel","is_spam","created_at","number");--> statement-breakpoint
CREATE INDEX "tickets_by_assignee_updated" ON "tickets" USING btree ("org_id","assigned_to","status","channel","is_spam","updated_at","number");--> statement-breakpoint
CREATE INDEX "tickets_by_customer" ON "tickets" USING btree ("customer_id","updated_at");--> statement-breakpoint
CREATE INDEX "tickets_by_handle" ON "tickets" USING btree (substr(id, 25));--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("endpoint_id","due_at","event_number") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_in_flight" ON "deliveries" USING btree ("endpoint_id") WHERE state = 'in_flight';--> statement-breakpoint
CREATE INDEX "deliveries_failed" ON "deliveries" USING btree ("endpoint_id","id","created_at") WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX "deliveries_by_organization" ON "deliveries" USING btree ("org_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_by_state" ON "deliveries" USING btree ("org_id","state","id","endpoint_id");--> statement-breakpoint
CREATE INDEX "deliveries_by_endpoint" ON "deliveries" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_by_ticket" ON "deliveries" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "endpoints_by_organization" ON "endpoints" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE INDEX "endpoints_by_schedule" ON "endpoints" USING btree ("is_healthy","next_delivery_at");--> statement-breakpoint
CREATE INDEX "resend_jobs_open" ON "resend_jobs" USING btree ("created_at") WHERE finished_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "visitors_by_token" ON "visitors" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "visitors_by_customer" ON "visitors" USING btree ("org_id","customer_id");--> statement-breakpoint
CREATE INDEX "visitors_by_user" ON "visitors" USING btree ("widget_id","user_id");--> statement-breakpoint
CREATE INDEX "visitors_by_expiry" ON "visitors" USING btree ("token_expires_at");--> statement-breakpoint
CREATE INDEX "visitors_blocked" ON "visitors" USING btree ("org_id","blocked_at") WHERE blocked_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "widget_conversations_by_client_id" ON "widget_conversations" USING btree ("visitor_id","client_id");--> statement-breakpoint
CREATE INDEX "widget_conversations_by_user" ON "widget_conversations" USING btree ("org_id","user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX "widget_conversations_email_due" ON "widget_conversations" USING btree ("email_due_at") WHERE email_due_at is not null;--> statement-breakpoint
CREATE INDEX "widget_messages_by_ticket" ON "widget_messages" USING btree ("org_id","ticket_id");--> statement-breakpoint
CREATE INDEX "widgets_by_organization" ON "widgets" USING btree ("org_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "widgets_by_key" ON "widgets" USING btree ("key_id");--> statement-breakpoint
CREATE TABLE "search_index" ("rowid" bigint PRIMARY KEY, "text" tsvector NOT NULL);--> statement-breakpoint
CREATE INDEX "search_index_by_text" ON "search_index" USING gin ("text");

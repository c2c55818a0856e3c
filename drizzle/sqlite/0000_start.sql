CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`signature` text DEFAULT '' NOT NULL,
	`role` text NOT NULL,
	`password_hash` text,
	`last_seen_at` integer,
	`disabled_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_by_email` ON `agents` (`org_id`,`email_key`);--> statement-breakpoint
CREATE INDEX `agents_by_address` ON `agents` (`email_key`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`public_key` text,
	`scopes` text,
	`rate_limit` integer,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_by_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_by_organization` ON `api_keys` (`org_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text,
	`owner_id` text,
	`uploaded_by` text,
	`hash` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`size` integer NOT NULL,
	`width` integer,
	`height` integer,
	`content_id` text,
	`is_inline` integer DEFAULT false NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attachments_by_owner` ON `attachments` (`org_id`,`owner_id`,`position`);--> statement-breakpoint
CREATE INDEX `attachments_by_ticket` ON `attachments` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE INDEX `attachments_by_hash` ON `attachments` (`hash`);--> statement-breakpoint
CREATE INDEX `attachments_unsent` ON `attachments` (`created_at`) WHERE owner_id is null;--> statement-breakpoint
CREATE TABLE `audit_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text NOT NULL,
	`action` text NOT NULL,
	`subject_id` text,
	`subject_label` text,
	`detail` text,
	`address` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_entries_by_organization` ON `audit_entries` (`org_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_by_action` ON `audit_entries` (`org_id`,`action`,`id`);--> statement-breakpoint
CREATE TABLE `bots` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`telegram_id` text NOT NULL,
	`username` text NOT NULL,
	`state` text NOT NULL,
	`token` blob,
	`receives` text DEFAULT 'polling' NOT NULL,
	`webhook` blob,
	`webhook_hash` text,
	`offset` integer DEFAULT 0 NOT NULL,
	`greeting` text DEFAULT '' NOT NULL,
	`new_ticket_after_days` integer,
	`shows_typing` integer DEFAULT true NOT NULL,
	`default_assignee` text DEFAULT '' NOT NULL,
	`last_update_at` integer,
	`last_sent_at` integer,
	`last_checked_at` integer,
	`receive_error` text DEFAULT '' NOT NULL,
	`send_error` text DEFAULT '' NOT NULL,
	`receive_failing_since` integer,
	`send_failing_since` integer,
	`alerted_at` integer,
	`foreign_webhook` text DEFAULT '' NOT NULL,
	`missed_since` integer,
	`unknown_updates` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `bots_by_telegram_id` ON `bots` (`telegram_id`) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX `bots_by_webhook` ON `bots` (`webhook_hash`);--> statement-breakpoint
CREATE INDEX `bots_by_organization` ON `bots` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `telegram_chats` (
	`org_id` text NOT NULL,
	`bot_id` text NOT NULL,
	`chat_id` text NOT NULL,
	`ticket_id` text,
	`customer_id` text,
	`name` text DEFAULT '' NOT NULL,
	`username` text DEFAULT '' NOT NULL,
	`language` text DEFAULT '' NOT NULL,
	`state` text DEFAULT 'active' NOT NULL,
	`state_at` integer,
	`is_group_told` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`bot_id`, `chat_id`),
	FOREIGN KEY (`bot_id`) REFERENCES `bots`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `telegram_chats_by_ticket` ON `telegram_chats` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE INDEX `telegram_chats_by_customer` ON `telegram_chats` (`org_id`,`customer_id`);--> statement-breakpoint
CREATE TABLE `telegram_conversations` (
	`ticket_id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`bot_id` text NOT NULL,
	`chat_id` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `telegram_conversations_by_chat` ON `telegram_conversations` (`bot_id`,`chat_id`);--> statement-breakpoint
CREATE TABLE `telegram_files` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`message_id` text NOT NULL,
	`bot_id` text NOT NULL,
	`file_id` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`size` integer,
	`position` integer NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`error` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `telegram_files_due` ON `telegram_files` (`due_at`,`id`) WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX `telegram_files_by_message` ON `telegram_files` (`org_id`,`message_id`);--> statement-breakpoint
CREATE INDEX `telegram_files_by_ticket` ON `telegram_files` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE TABLE `telegram_messages` (
	`org_id` text NOT NULL,
	`bot_id` text NOT NULL,
	`chat_id` text NOT NULL,
	`telegram_message_id` integer NOT NULL,
	`direction` text NOT NULL,
	`ticket_id` text,
	`message_id` text,
	`album` text,
	`file` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`bot_id`, `chat_id`, `telegram_message_id`)
);
--> statement-breakpoint
CREATE INDEX `telegram_messages_by_ticket` ON `telegram_messages` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE INDEX `telegram_messages_by_message` ON `telegram_messages` (`org_id`,`message_id`);--> statement-breakpoint
CREATE INDEX `telegram_messages_by_album` ON `telegram_messages` (`bot_id`,`chat_id`,`album`) WHERE album is not null;--> statement-breakpoint
CREATE TABLE `telegram_updates` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`bot_id` text NOT NULL,
	`update_id` integer NOT NULL,
	`chat_id` text DEFAULT '' NOT NULL,
	`kind` text NOT NULL,
	`album` text,
	`raw` text,
	`state` text NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`processed_at` integer,
	FOREIGN KEY (`bot_id`) REFERENCES `bots`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `telegram_updates_pending` ON `telegram_updates` (`bot_id`,`chat_id`,`id`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `telegram_updates_by_bot` ON `telegram_updates` (`org_id`,`bot_id`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `telegram_updates_by_chat` ON `telegram_updates` (`bot_id`,`chat_id`,`id`);--> statement-breakpoint
CREATE INDEX `telegram_updates_processed` ON `telegram_updates` (`processed_at`) WHERE processed_at is not null;--> statement-breakpoint
CREATE TABLE `customer_identities` (
	`org_id` text NOT NULL,
	`channel` text NOT NULL,
	`external_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `channel`, `external_id`),
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `customer_identities_by_customer` ON `customer_identities` (`customer_id`);--> statement-breakpoint
CREATE TABLE `customers` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`email` text,
	`email_key` text,
	`is_name_guessed` integer DEFAULT false NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`reindex_after` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `customers_by_email` ON `customers` (`org_id`,`email_key`);--> statement-breakpoint
CREATE INDEX `customers_to_reindex` ON `customers` (`org_id`,`id`) WHERE reindex_after is not null;--> statement-breakpoint
CREATE TABLE `events` (
	`org_id` text NOT NULL,
	`number` integer NOT NULL,
	`type` text NOT NULL,
	`ticket_id` text NOT NULL,
	`body` blob,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `events_by_ticket` ON `events` (`org_id`,`ticket_id`) WHERE body is not null;--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`org_id` text NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`ticket_id` text,
	`status` integer NOT NULL,
	`body` text NOT NULL,
	`location` text,
	`etag` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_time` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_ticket` ON `idempotency_keys` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE TABLE `known_mails` (
	`org_id` text NOT NULL,
	`mailbox_id` text NOT NULL,
	`message_id_hash` text NOT NULL,
	`sender_hash` text NOT NULL,
	`ticket_id` text,
	`message_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`mailbox_id`, `message_id_hash`, `sender_hash`)
);
--> statement-breakpoint
CREATE INDEX `known_mails_by_ticket` ON `known_mails` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE TABLE `mail_folders` (
	`org_id` text NOT NULL,
	`mailbox_id` text NOT NULL,
	`name` text NOT NULL,
	`uid_validity` text NOT NULL,
	`last_uid` integer NOT NULL,
	`start_uid` integer NOT NULL,
	`checked_at` integer NOT NULL,
	PRIMARY KEY(`mailbox_id`, `name`),
	FOREIGN KEY (`mailbox_id`) REFERENCES `mailboxes`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `mailboxes` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`address` text NOT NULL,
	`address_key` text,
	`state` text NOT NULL,
	`sign_in` text NOT NULL,
	`imap` text NOT NULL,
	`smtp` text NOT NULL,
	`imap_password` blob,
	`smtp_password` blob,
	`tokens` blob,
	`tokens_version` integer DEFAULT 0 NOT NULL,
	`folders` text NOT NULL,
	`import_since` integer,
	`sent_folder` text DEFAULT '' NOT NULL,
	`signature` text DEFAULT '' NOT NULL,
	`default_assignee` text DEFAULT '' NOT NULL,
	`auto_reply` text DEFAULT '' NOT NULL,
	`has_subaddresses` integer,
	`authserv_id` text DEFAULT '' NOT NULL,
	`has_subject_tokens` integer DEFAULT false NOT NULL,
	`dkim` text,
	`dkim_key` blob,
	`is_default` integer DEFAULT false NOT NULL,
	`last_received_at` integer,
	`last_sent_at` integer,
	`last_checked_at` integer,
	`receive_error` text DEFAULT '' NOT NULL,
	`send_error` text DEFAULT '' NOT NULL,
	`receive_failing_since` integer,
	`send_failing_since` integer,
	`sign_in_refusals` integer DEFAULT 0 NOT NULL,
	`on_server` integer,
	`unfetched` integer,
	`alerted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mailboxes_by_address` ON `mailboxes` (`org_id`,`address_key`);--> statement-breakpoint
CREATE INDEX `mailboxes_by_organization` ON `mailboxes` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`mailbox_id` text NOT NULL,
	`folder` text NOT NULL,
	`uid_validity` text NOT NULL,
	`uid` integer NOT NULL,
	`hash` text,
	`size` integer NOT NULL,
	`received_at` integer NOT NULL,
	`outcome` text NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`from_address` text DEFAULT '' NOT NULL,
	`subject` text DEFAULT '' NOT NULL,
	`ticket_id` text,
	`message_id` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`processed_at` integer,
	FOREIGN KEY (`mailbox_id`) REFERENCES `mailboxes`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mails_by_uid` ON `mails` (`mailbox_id`,`folder`,`uid_validity`,`uid`);--> statement-breakpoint
CREATE INDEX `mails_by_organization` ON `mails` (`org_id`,`id`);--> statement-breakpoint
CREATE INDEX `mails_by_outcome` ON `mails` (`org_id`,`outcome`,`id`);--> statement-breakpoint
CREATE INDEX `mails_by_mailbox` ON `mails` (`mailbox_id`,`outcome`,`id`);--> statement-breakpoint
CREATE INDEX `mails_pending` ON `mails` (`mailbox_id`,`attempts`,`id`) WHERE outcome = 'pending';--> statement-breakpoint
CREATE INDEX `mails_by_ticket` ON `mails` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE INDEX `mails_by_hash` ON `mails` (`hash`);--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`org_id` text NOT NULL,
	`provider` text NOT NULL,
	`client_id` text NOT NULL,
	`client_secret` blob NOT NULL,
	`tenant` text DEFAULT '' NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `provider`),
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `oauth_sign_ins` (
	`state_hash` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`mailbox_id` text NOT NULL,
	`verifier` blob NOT NULL,
	`redirect_url` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `message_contents` (
	`message_id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`quoted` text,
	`html` text,
	`mail_id` text,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `message_contents_by_ticket` ON `message_contents` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE TABLE `message_edits` (
	`message_id` text NOT NULL,
	`version` integer NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`text` text NOT NULL,
	`format` text NOT NULL,
	`edited_at` integer NOT NULL,
	PRIMARY KEY(`message_id`, `version`),
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `message_edits_by_ticket` ON `message_edits` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`role` text NOT NULL,
	`text` text NOT NULL,
	`format` text DEFAULT 'plain' NOT NULL,
	`is_automatic` integer DEFAULT false NOT NULL,
	`author` text,
	`author_name` text,
	`email` text,
	`has_html` integer DEFAULT false NOT NULL,
	`has_quote` integer DEFAULT false NOT NULL,
	`is_html_formatted` integer DEFAULT false NOT NULL,
	`has_remote_images` integer DEFAULT false NOT NULL,
	`attachment_count` integer DEFAULT 0 NOT NULL,
	`agent_id` text,
	`agent_name` text,
	`sending` text,
	`send_error` text,
	`request_hash` text,
	`telegram` text,
	`edited_at` integer,
	`taken_back_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `messages_by_ticket` ON `messages` (`ticket_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `messages_failed` ON `messages` (`org_id`,`ticket_id`,`id`) WHERE sending in ('failed', 'bounced');--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`reopens` integer DEFAULT true NOT NULL,
	`assign_on_reply` integer DEFAULT true NOT NULL,
	`public_name` text DEFAULT '' NOT NULL,
	`website` text DEFAULT '' NOT NULL,
	`emails_api_tickets` integer DEFAULT false NOT NULL,
	`signature` text DEFAULT '' NOT NULL,
	`last_event` integer DEFAULT 0 NOT NULL,
	`erased_event` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `saved_replies` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `saved_replies_by_name` ON `saved_replies` (`org_id`,`name`,`id`);--> statement-breakpoint
CREATE TABLE `saved_views` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`is_shared` integer DEFAULT false NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `saved_views_by_organization` ON `saved_views` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `scheduled_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`agent_id` text,
	`key_id` text,
	`agent_name` text NOT NULL,
	`text` text NOT NULL,
	`format` text DEFAULT 'plain' NOT NULL,
	`attachment_count` integer DEFAULT 0 NOT NULL,
	`recipients` text,
	`then_status` text,
	`seen_message_id` text,
	`seen_at` integer,
	`is_forced` integer DEFAULT false NOT NULL,
	`is_held` integer DEFAULT false NOT NULL,
	`held_because` text,
	`request_hash` text,
	`send_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `scheduled_messages_due` ON `scheduled_messages` (`is_held`,`send_at`);--> statement-breakpoint
CREATE INDEX `scheduled_messages_by_ticket` ON `scheduled_messages` (`ticket_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `scheduled_messages_held` ON `scheduled_messages` (`org_id`,`ticket_id`) WHERE is_held;--> statement-breakpoint
CREATE TABLE `search_cursors` (
	`org_id` text PRIMARY KEY NOT NULL,
	`event_number` integer NOT NULL,
	`back_at` integer,
	`back_id` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `search_documents` (
	`number` integer PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_documents_ticketId_unique` ON `search_documents` (`ticket_id`);--> statement-breakpoint
CREATE TABLE `sends` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`message_id` text,
	`channel` text NOT NULL,
	`lane_id` text NOT NULL,
	`conversation` text NOT NULL,
	`content` text NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`external_id` text,
	`error` text DEFAULT '' NOT NULL,
	`outcomes` text NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `sends_due` ON `sends` (`due_at`,`id`) WHERE state in ('waiting', 'sending');--> statement-breakpoint
CREATE INDEX `sends_by_lane` ON `sends` (`lane_id`,`due_at`,`id`) WHERE state in ('waiting', 'sending');--> statement-breakpoint
CREATE INDEX `sends_by_conversation` ON `sends` (`conversation`,`id`) WHERE state in ('waiting', 'sending');--> statement-breakpoint
CREATE INDEX `sends_reached` ON `sends` (`finished_at`) WHERE state = 'sent' and error = '';--> statement-breakpoint
CREATE INDEX `sends_by_message` ON `sends` (`org_id`,`message_id`);--> statement-breakpoint
CREATE INDEX `sends_by_ticket` ON `sends` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE INDEX `sends_by_external_id` ON `sends` (`org_id`,`external_id`);--> statement-breakpoint
CREATE TABLE `agent_links` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`purpose` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_links_by_hash` ON `agent_links` (`hash`);--> statement-breakpoint
CREATE INDEX `agent_links_by_agent` ON `agent_links` (`org_id`,`agent_id`);--> statement-breakpoint
CREATE INDEX `agent_links_by_expiry` ON `agent_links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`hash` text NOT NULL,
	`device` text DEFAULT '' NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_by_hash` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_by_agent` ON `sessions` (`org_id`,`agent_id`,`last_seen_at`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `activities` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text NOT NULL,
	`changes` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `activities_by_ticket` ON `activities` (`ticket_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `drafts` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`attachments` text NOT NULL,
	`recipients` text,
	`saved_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_id`, `ticket_id`, `kind`),
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `drafts_by_ticket` ON `drafts` (`ticket_id`);--> statement-breakpoint
CREATE TABLE `notes` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`agent_name` text NOT NULL,
	`text` text NOT NULL,
	`format` text DEFAULT 'plain' NOT NULL,
	`attachment_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `notes_by_ticket` ON `notes` (`ticket_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `read_marks` (
	`org_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`message_id` text NOT NULL,
	`message_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `agent_id`, `ticket_id`),
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `read_marks_by_ticket` ON `read_marks` (`ticket_id`);--> statement-breakpoint
CREATE TABLE `ticket_counters` (
	`org_id` text NOT NULL,
	`assigned_to` text NOT NULL,
	`status` text NOT NULL,
	`tag` text NOT NULL,
	`channel` text NOT NULL,
	`is_spam` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`org_id`, `assigned_to`, `status`, `tag`, `channel`, `is_spam`)
);
--> statement-breakpoint
CREATE TABLE `ticket_tags` (
	`org_id` text NOT NULL,
	`tag` text NOT NULL,
	`ticket_id` text NOT NULL,
	`ticket_number` integer NOT NULL,
	`status` text NOT NULL,
	`channel` text NOT NULL,
	`assigned_to` text NOT NULL,
	`is_spam` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`ticket_id`, `tag`),
	FOREIGN KEY (`ticket_id`) REFERENCES `tickets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `ticket_tags_by_created` ON `ticket_tags` (`org_id`,`tag`,`status`,`channel`,`is_spam`,`created_at`,`ticket_number`);--> statement-breakpoint
CREATE INDEX `ticket_tags_by_updated` ON `ticket_tags` (`org_id`,`tag`,`status`,`channel`,`is_spam`,`updated_at`,`ticket_number`);--> statement-breakpoint
CREATE INDEX `ticket_tags_by_assignee_created` ON `ticket_tags` (`org_id`,`tag`,`assigned_to`,`status`,`channel`,`is_spam`,`created_at`,`ticket_number`);--> statement-breakpoint
CREATE INDEX `ticket_tags_by_assignee_updated` ON `ticket_tags` (`org_id`,`tag`,`assigned_to`,`status`,`channel`,`is_spam`,`updated_at`,`ticket_number`);--> statement-breakpoint
CREATE TABLE `tickets` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`org_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`status` text NOT NULL,
	`channel` text NOT NULL,
	`subject` text NOT NULL,
	`assigned_to` text DEFAULT '' NOT NULL,
	`tags` text NOT NULL,
	`mailbox_id` text DEFAULT '' NOT NULL,
	`is_spam` integer DEFAULT false NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tickets_id_unique` ON `tickets` (`id`);--> statement-breakpoint
CREATE INDEX `tickets_by_created` ON `tickets` (`org_id`,`status`,`channel`,`is_spam`,`created_at`);--> statement-breakpoint
CREATE INDEX `tickets_by_updated` ON `tickets` (`org_id`,`status`,`channel`,`is_spam`,`updated_at`);--> statement-breakpoint
CREATE INDEX `tickets_by_assignee_created` ON `tickets` (`org_id`,`assigned_to`,`status`,`channel`,`is_spam`,`created_at`);--> statement-breakpoint
CREATE INDEX `tickets_by_assignee_updated` ON `tickets` (`org_id`,`assigned_to`,`status`,`channel`,`is_spam`,`updated_at`);--> statement-breakpoint
CREATE INDEX `tickets_by_customer` ON `tickets` (`customer_id`,`updated_at`);--> statement-breakpoint
CREATE INDEX `tickets_by_handle` ON `tickets` (substr(id, 25));--> statement-breakpoint
CREATE TABLE `attempts` (
	`delivery_id` text NOT NULL,
	`number` integer NOT NULL,
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`url` text NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer,
	`outcome` text,
	`status` integer,
	`detail` text,
	`request_headers` text,
	`response_headers` text,
	`response_body` blob,
	`is_body_cut` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`delivery_id`, `number`),
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`endpoint_id` text NOT NULL,
	`event_number` integer NOT NULL,
	`event_type` text NOT NULL,
	`ticket_id` text,
	`test_body` blob,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`retries` integer DEFAULT 0 NOT NULL,
	`interruptions` integer DEFAULT 0 NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`manual` integer DEFAULT false NOT NULL,
	`last_error` text,
	`last_status` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`endpoint_id`) REFERENCES `endpoints`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`endpoint_id`,`due_at`,`event_number`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_in_flight` ON `deliveries` (`endpoint_id`) WHERE state = 'in_flight';--> statement-breakpoint
CREATE INDEX `deliveries_failed` ON `deliveries` (`endpoint_id`,`id`,`created_at`) WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX `deliveries_by_organization` ON `deliveries` (`org_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_state` ON `deliveries` (`org_id`,`state`,`id`,`endpoint_id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_endpoint` ON `deliveries` (`endpoint_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_ticket` ON `deliveries` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE TABLE `endpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`url` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`events` text NOT NULL,
	`secret` blob NOT NULL,
	`next_secret` blob,
	`previous_secret` blob,
	`previous_secret_until` integer,
	`off_at` integer,
	`off_reason` text,
	`failing_since` integer,
	`connect_failures` integer DEFAULT 0 NOT NULL,
	`is_healthy` integer DEFAULT false NOT NULL,
	`recent_outcomes` text DEFAULT '' NOT NULL,
	`last_success_at` integer,
	`last_error_at` integer,
	`last_error` text,
	`next_delivery_at` integer,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `endpoints_by_organization` ON `endpoints` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `endpoints_by_schedule` ON `endpoints` (`is_healthy`,`next_delivery_at`);--> statement-breakpoint
CREATE TABLE `resend_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`endpoint_id` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`cursor` text DEFAULT '' NOT NULL,
	`resent` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`endpoint_id`) REFERENCES `endpoints`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `resend_jobs_open` ON `resend_jobs` (`created_at`) WHERE finished_at is null;--> statement-breakpoint
CREATE TABLE `blocked_addresses` (
	`org_id` text NOT NULL,
	`address` text NOT NULL,
	`agent_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `address`)
);
--> statement-breakpoint
CREATE TABLE `emailed_visitors` (
	`org_id` text NOT NULL,
	`address_key` text NOT NULL,
	`unanswered` integer NOT NULL,
	`answered_at` integer,
	PRIMARY KEY(`org_id`, `address_key`)
);
--> statement-breakpoint
CREATE TABLE `visitors` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`widget_id` text NOT NULL,
	`token_hash` text,
	`token_expires_at` integer NOT NULL,
	`customer_id` text,
	`user_id` text,
	`verified_name` text DEFAULT '' NOT NULL,
	`verified_email` text DEFAULT '' NOT NULL,
	`typed_name` text DEFAULT '' NOT NULL,
	`typed_email` text DEFAULT '' NOT NULL,
	`fields` text NOT NULL,
	`page_url` text DEFAULT '' NOT NULL,
	`page_title` text DEFAULT '' NOT NULL,
	`browser` text DEFAULT '' NOT NULL,
	`language` text DEFAULT '' NOT NULL,
	`time_zone` text DEFAULT '' NOT NULL,
	`address` text DEFAULT '' NOT NULL,
	`last_seen_at` integer NOT NULL,
	`blocked_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`widget_id`) REFERENCES `widgets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `visitors_by_token` ON `visitors` (`token_hash`);--> statement-breakpoint
CREATE INDEX `visitors_by_customer` ON `visitors` (`org_id`,`customer_id`);--> statement-breakpoint
CREATE INDEX `visitors_by_user` ON `visitors` (`widget_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `visitors_by_expiry` ON `visitors` (`token_expires_at`);--> statement-breakpoint
CREATE INDEX `visitors_blocked` ON `visitors` (`org_id`,`blocked_at`) WHERE blocked_at is not null;--> statement-breakpoint
CREATE TABLE `widget_conversations` (
	`ticket_id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`widget_id` text NOT NULL,
	`visitor_id` text NOT NULL,
	`user_id` text,
	`client_id` text NOT NULL,
	`seen_message_id` text DEFAULT '' NOT NULL,
	`seen_at` integer,
	`seen_by_agent_at` integer,
	`email_due_at` integer,
	`last_emailed_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `widget_conversations_by_client_id` ON `widget_conversations` (`visitor_id`,`client_id`);--> statement-breakpoint
CREATE INDEX `widget_conversations_by_user` ON `widget_conversations` (`org_id`,`user_id`) WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX `widget_conversations_email_due` ON `widget_conversations` (`email_due_at`) WHERE email_due_at is not null;--> statement-breakpoint
CREATE TABLE `widget_messages` (
	`org_id` text NOT NULL,
	`visitor_id` text NOT NULL,
	`client_id` text NOT NULL,
	`ticket_id` text NOT NULL,
	`message_id` text NOT NULL,
	`request_hash` text NOT NULL,
	PRIMARY KEY(`visitor_id`, `client_id`)
);
--> statement-breakpoint
CREATE INDEX `widget_messages_by_ticket` ON `widget_messages` (`org_id`,`ticket_id`);--> statement-breakpoint
CREATE TABLE `widgets` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`key_id` text NOT NULL,
	`state` text NOT NULL,
	`origins` text NOT NULL,
	`appearance` text NOT NULL,
	`questions` text NOT NULL,
	`hours` text,
	`verified_only` integer DEFAULT false NOT NULL,
	`telegram_bot_id` text DEFAULT '' NOT NULL,
	`identity_secret` blob NOT NULL,
	`previous_identity_secret` blob,
	`previous_identity_secret_until` integer,
	`seen_url` text DEFAULT '' NOT NULL,
	`seen_at` integer,
	`refused_origin` text DEFAULT '' NOT NULL,
	`refused_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `widgets_by_organization` ON `widgets` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `widgets_by_key` ON `widgets` (`key_id`);--> statement-breakpoint
CREATE VIRTUAL TABLE `search_index` USING fts5(`text`, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2", prefix='2 3');

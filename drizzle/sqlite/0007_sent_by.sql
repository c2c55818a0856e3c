ALTER TABLE `messages` ADD `sent_by` text;--> statement-breakpoint
UPDATE messages SET sent_by = CASE
	WHEN email IS NOT NULL THEN 'email'
	WHEN EXISTS (SELECT 1 FROM sends s WHERE s.org_id = messages.org_id AND s.message_id = messages.id AND s.channel = 'telegram') THEN 'telegram'
	ELSE (SELECT CASE t.channel WHEN 'api' THEN 'webhook' ELSE t.channel END FROM tickets t WHERE t.id = messages.ticket_id) END
	WHERE role = 'agent' AND sending IS NOT NULL;
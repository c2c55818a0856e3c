import type { NewMailbox } from '../../server/channels/email/mailboxes/mailbox-rows.ts'

/** A mailbox to connect, on servers that don't exist unless they are given. */
export function newMailbox(given: Partial<NewMailbox> = {}): NewMailbox {
  const address = given.address ?? 'support@acme.example'
  const server = { security: 'tls', user: address, password: 'first-secret' } as const
  return {
    name: 'Support',
    address,
    imap: { ...server, host: 'imap.acme.example', port: 993 },
    smtp: { ...server, host: 'smtp.acme.example', port: 465 },
    ...given,
  }
}

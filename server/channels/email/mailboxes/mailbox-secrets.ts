import type { MailServer, mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { type AppError, invalid } from '../../../errors.ts'
import type { MailboxInput } from './check-mailbox.ts'

type Mailbox = typeof mailboxes.$inferSelect
type Stored = Pick<Mailbox, 'signIn' | 'imap' | 'smtp' | 'imapPassword' | 'smtpPassword'>

/** Encrypted passwords, bound to the mailbox. Absent passwords don't change. */
export function passwordColumns(
  deps: Deps,
  id: string,
  { signIn, imap, smtp }: MailboxInput,
  before?: Stored,
): Pick<Mailbox, 'imapPassword' | 'smtpPassword'> {
  if (signIn !== 'password') return { imapPassword: null, smtpPassword: null }
  const encrypted = (password: string | undefined, kept: Uint8Array | null) =>
    password === undefined ? kept : deps.encryption.encrypt(password, id)
  const keptForSmtp = before && !isElsewhere(before.smtp, smtp) ? before.smtpPassword : null
  return {
    imapPassword: encrypted(imap.password, before?.imapPassword ?? null),
    smtpPassword: smtp.user === '' ? null : encrypted(smtp.password, keptForSmtp),
  }
}

/**
 * Throws 400 if a password is missing. A stored password is only used for its server and user: otherwise, someone could
 * read it by sending it to another server.
 */
export function requirePasswords({ signIn, imap, smtp }: MailboxInput, before?: Stored): void {
  if (signIn !== 'password') return
  const hasPassword = before?.signIn === 'password' && !isElsewhere(before.imap, imap)
  if (imap.password === undefined && !hasPassword) throw passwordMissing('/imap/password')
  const isGiven = imap.password !== undefined || smtp.password !== undefined || smtp.user === ''
  if (!isGiven && before && isElsewhere(before.smtp, smtp)) throw passwordMissing('/smtp/password')
}

/** Whether a password or token of the first server must not be sent to the second. */
export function isElsewhere(before: MailServer, after: MailServer): boolean {
  return before.host.toLowerCase() !== after.host.toLowerCase() || before.user !== after.user
}

function passwordMissing(pointer: string): AppError {
  return invalid([{ pointer, code: 'password_required', detail: 'Enter the password for this server.' }])
}

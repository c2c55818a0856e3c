import { and, asc, eq } from 'drizzle-orm'
import type { ReceivedFile } from '../attachments/bindings.ts'
import type { Send } from '../channels/channel.ts'
import { storeFiles } from '../channels/email/inbound/process-loop.ts'
import { storeMail } from '../channels/email/inbound/store-mail.ts'
import { createMailbox } from '../channels/email/mailboxes/mailboxes.ts'
import { isByEmail } from '../channels/email/outbound/email-content.ts'
import { createMailParser } from '../channels/email/parse/parse-mail.ts'
import type { ParseResult } from '../channels/email/parse/parsed-mail.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { mailboxes, mails } from '../database/tables/mailboxes.ts'
import { messages } from '../database/tables/messages.ts'
import { type RecipientOutcome, sends } from '../database/tables/sends.ts'
import type { Actor, Deps } from '../deps.ts'
import { findSends } from '../messages/sends/queries.ts'
import { finished, recordAttempt, saveProgress } from '../messages/sends/record-attempt.ts'
import { recipientsOf } from '../messages/sends/send-batch.ts'
import company from './company.yaml'
import type { DemoMailServer } from './mail-server.ts'
import { depsAt } from './organization.ts'
import { rawBounce } from './raw-mails.ts'

const MINUTE_MS = 60_000
const FOLDER = 'INBOX'
/** Mails that are written to disk and read at the same time. */
const MAILS_AT_ONCE = 16

/** A mail in the store, with its parsed content. */
export interface FetchedMail {
  hash: string
  size: number
  result: ParseResult
  files: ReceivedFile[]
}

/** The mailbox of the demo, at a mail server on this machine. */
export interface DemoMailbox {
  orgId: string
  id: string
  /** The mails that it has fetched so far. */
  count: number
}

export async function addMailbox(
  deps: Deps,
  orgId: string,
  { at, actor, mailServer }: { at: number; actor: Actor; mailServer: DemoMailServer },
): Promise<DemoMailbox> {
  const server = { host: '127.0.0.1', security: 'tls', user: company.mailbox.address } as const
  const password = Buffer.from(deps.randomBytes(12)).toString('hex')
  const { id } = await createMailbox(depsAt(deps, at, actor), orgId, {
    ...company.mailbox,
    imap: { ...server, port: mailServer.imapPort, password },
    smtp: { ...server, port: mailServer.smtpPort },
  })
  return { orgId, id, count: 0 }
}

/** Gives the mailbox the health of one that has worked until now. */
export async function showHealth(deps: Deps, { id, count }: DemoMailbox): Promise<void> {
  const now = deps.clock.now()
  await deps.database.write(undefined, async (tx) => {
    const health = { lastReceivedAt: now - 4 * MINUTE_MS, lastSentAt: now - 5 * MINUTE_MS }
    const counts = { lastCheckedAt: now - MINUTE_MS, onServer: count, unfetched: 0 }
    await tx
      .update(mailboxes)
      .set({ ...health, ...counts })
      .where(eq(mailboxes.id, id))
  })
}

/** Stores and parses raw mails in order, like those from a mail server. */
export async function fetchMails(deps: Deps, raws: Uint8Array[]): Promise<FetchedMail[]> {
  const parser = createMailParser(deps)
  try {
    const fetched: FetchedMail[] = []
    for (let start = 0; start < raws.length; start += MAILS_AT_ONCE) {
      const some = raws.slice(start, start + MAILS_AT_ONCE)
      fetched.push(...(await Promise.all(some.map((raw) => fetchMail(deps, parser, raw)))))
    }
    return fetched
  } finally {
    parser.stop()
  }
}

async function fetchMail(
  deps: Deps,
  parser: ReturnType<typeof createMailParser>,
  raw: Uint8Array,
): Promise<FetchedMail> {
  using kept = await deps.files.put(raw)
  const { hash, size, file } = kept
  const attachmentFolder = await deps.files.incomingFolder()
  const result = await parser.parse({ path: file.name ?? '', attachmentFolder })
  using files = await storeFiles(deps, result)
  return { hash, size, result, files: files.received }
}

/** Stores a mail at the time of `deps`, in the caller's unit. Returns the ticket that it went to. */
export async function storeFetched(
  deps: Deps,
  tx: Transaction,
  mailbox: DemoMailbox,
  { hash, size, result, files }: FetchedMail,
): Promise<string | undefined> {
  const now = deps.clock.now()
  mailbox.count += 1
  const [mail] = await tx
    .insert(mails)
    .values({
      id: deps.newId('eml'),
      orgId: mailbox.orgId,
      mailboxId: mailbox.id,
      folder: FOLDER,
      uidValidity: '1',
      uid: mailbox.count,
      hash,
      size,
      receivedAt: now,
      outcome: 'pending',
      createdAt: now,
    })
    .returning()
  return mail && (await storeMail(deps, tx, mail, { result, files }))?.ticketId
}

/** From a reply until the mail server has it. */
const SENDING_MS = 1_800
const BOUNCE_MS = 40_000

/** Records that the mail server took a reply, at once. A reply that doesn't leave by email stays as it is. */
export async function recordSent(
  deps: Deps,
  tx: Transaction,
  { orgId, messageId }: { orgId: string; messageId: string },
): Promise<void> {
  for (const send of await findSends(tx, { orgId, messageId })) {
    const recipients = recipientsOf(deps, send)
    const outcomes = outcomesFor(deps, send, 'sent', '')
    const result = { outcomes, error: '', fault: 'none' as const }
    await recordAttempt(deps, tx, { send, recipients, result }, deps.clock.now() + SENDING_MS)
  }
}

/** Makes the newest email replies fail: two are refused, and one bounces. */
export async function failEmails(deps: Deps, mailbox: DemoMailbox): Promise<void> {
  const { orgId } = mailbox
  const refusals = company.emailFaults.refused
  const all = await deps.database.read
    .select({ send: sends })
    .from(messages)
    .innerJoin(sends, eq(sends.messageId, messages.id))
    .where(and(matches(messages, { orgId, role: 'agent' }), eq(sends.state, 'sent')))
    .orderBy(asc(messages.createdAt), asc(messages.id))
  const emails = all.map(({ send }) => send).filter(isByEmail)
  const newest = [...new Map(emails.map((send) => [send.ticketId, send])).values()]
  const [bounced, ...refused] = newest.slice(-1 - refusals.length)
  if (!bounced) return
  const at = bounced.createdAt + BOUNCE_MS
  const recipient = recipientsOf(deps, bounced)[0] ?? ''
  const { messageId, token } = bounced.content
  const reason = company.emailFaults.bounced
  const [report] = await fetchMails(deps, [rawBounce({ at, recipient, messageId, token, reason })])
  await deps.database.write(orgId, async (tx) => {
    for (const [index, send] of refused.entries()) {
      const outcomes = outcomesFor(deps, send, 'failed', refusals[index] ?? '')
      await saveProgress(tx, finished({ ...send, outcomes }, send.finishedAt ?? send.createdAt))
    }
    if (report) await storeFetched(depsAt(deps, at), tx, mailbox, report)
  })
}

function outcomesFor(
  deps: Deps,
  send: Send,
  state: RecipientOutcome['state'],
  detail: string,
): RecipientOutcome[] {
  return recipientsOf(deps, send).map((address) => ({ address, state, detail }))
}

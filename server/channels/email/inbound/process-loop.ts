import { and, eq, gt, sql } from 'drizzle-orm'
import type { ReceivedFile } from '../../../attachments/bindings.ts'
import type { KeptFile } from '../../../attachments/file-store.ts'
import { readImageSize } from '../../../attachments/image-size.ts'
import type { Reader } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { PartitionLost } from '../../../database/postgresql/fence.ts'
import { integer, statement, text } from '../../../database/statement.ts'
import { mailboxes, mails } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { isHeld } from '../../../jobs/held.ts'
import { runLanes } from '../../../jobs/run-lanes.ts'
import type { Loop } from '../../../loop.ts'
import { domainOf } from '../mailboxes/mailbox-rows.ts'
import type { MailParser } from '../parse/parse-mail.ts'
import type { ParseResult } from '../parse/parsed-mail.ts'
import type { OwnServer } from '../parse/read-mail.ts'
import { type Mail, storeMail } from './store-mail.ts'

/** Mailboxes whose mails are processed at the same time. */
const MAILBOXES_AT_ONCE = 16
/** Mails of a mailbox in one turn, which ends earlier when reading them takes longer than this. */
const TURN_MAILS = 8
const TURN_MS = 250
/** After this many failures that the mail didn't cause itself, it goes to quarantine. */
const MAX_ATTEMPTS = 3
/** How long a mailbox waits when the disk or a Worker failed, not a mail. */
const REST_AFTER_FAULT_MS = 5_000

/** Mails stored in one commit, in their order: a reply comes after the mail that it answers. */
const AT_ONCE = 8

/** A mail that was read, with its files in the store. */
interface ReadMail {
  mail: Mail
  result: ParseResult
  files: MailFiles
}

/**
 * Turns fetched mails into messages, in the order in which each mailbox fetched them, including those from before a
 * crash. Mailboxes take turns and don't wait for each other: a flooded one, or one with mails that take long to read,
 * delays only itself. A mail that fails doesn't delay the others.
 */
export function startProcessingMails(deps: Deps, parser: Pick<MailParser, 'parse'>): Loop {
  return runLanes(deps, {
    name: 'incoming mail',
    tables: [mails],
    atOnce: MAILBOXES_AT_ONCE,
    takesTurns: true,
    failure: 'mails_not_processed',
    restAfterErrorMs: REST_AFTER_FAULT_MS,
    find: findWaiting,
    async run({ id }) {
      await takeTurn(deps, parser, id)
      return 0
    },
  })
}

/** Processes some mails of a mailbox. Stops at the first one that couldn't be read, and throws after storing the others. */
async function takeTurn(deps: Deps, parser: Pick<MailParser, 'parse'>, mailboxId: string): Promise<void> {
  using files = new DisposableStack()
  const read: ReadMail[] = []
  const startedAt = deps.clock.monotonic()
  let fault: unknown
  try {
    const pending = await pendingOf(deps.database.read, { mailboxId, limit: TURN_MAILS })
    const orgId = pending[0]?.orgId ?? ''
    const [mailbox] = await findOwnServer(deps.database.read, { orgId, id: mailboxId })
    for (const mail of pending) {
      const result = await parseStored(deps, parser, { mail, mailbox })
      read.push({ mail, result, files: files.use(await storeFiles(deps, result)) })
      if (deps.clock.monotonic() - startedAt > TURN_MS) break
    }
  } catch (error) {
    fault = error
  }
  for (let start = 0; start < read.length; start += AT_ONCE) {
    await Promise.all(read.slice(start, start + AT_ONCE).map((one) => store(deps, one)))
  }
  if (fault !== undefined) throw fault
}

async function store(deps: Deps, { mail, result, files }: ReadMail): Promise<void> {
  try {
    await deps.database.write(mail.orgId, (tx) =>
      storeMail(deps, tx, mail, { result, files: files.received }),
    )
  } catch (error) {
    if (error instanceof PartitionLost) throw error
    deps.log.error('mail_failed', { mailId: mail.id, error })
    await countFault(deps, mail)
  }
}

interface MailFiles extends Disposable {
  received: ReceivedFile[]
}

async function parseStored(
  deps: Deps,
  parser: Pick<MailParser, 'parse'>,
  { mail, mailbox }: { mail: Mail; mailbox: MailboxServer | undefined },
): Promise<ParseResult> {
  if (mail.hash === null) return { outcome: 'unparsable', reason: 'The original was deleted.' }
  const opened = await deps.files.open(mail.hash)
  if ('fault' in opened) {
    const reason = `The file with the original is ${opened.fault}. Restore it from your backup, then parse it again.`
    return { outcome: 'unparsable', reason }
  }
  const path = opened.file.name
  if (path === undefined) throw new Error('A stored file has no path.')
  const request = {
    path,
    attachmentFolder: await deps.files.incomingFolder(),
    ...(mailbox && ownServerOf(mailbox)),
  }
  return parser.parse(request, mail.mailboxId)
}

/** The name that it was found or said to have, or else those that it may have. */
function ownServerOf({ authservId, imap, smtp, address }: MailboxServer): OwnServer {
  if (authservId !== '') return { authservId }
  return { hosts: [imap.host, smtp.host, domainOf(address)] }
}

/** Moves the files of a mail into the store, where they stay at least until they are disposed of. */
export async function storeFiles(deps: Deps, result: ParseResult): Promise<MailFiles> {
  using kept = new DisposableStack()
  const received: ReceivedFile[] = []
  const files = new Map<string, KeptFile>()
  for (const { path, ...file } of result.outcome === 'parsed' ? result.mail.attachments : []) {
    const stored = files.get(file.hash) ?? kept.use(await deps.files.adopt(path, file.hash))
    files.set(file.hash, stored)
    const size = await readImageSize(file.type, stored.head, stored.file)
    received.push({ ...file, width: size?.width ?? null, height: size?.height ?? null })
  }
  const release = kept.move()
  return { received, [Symbol.dispose]: () => release.dispose() }
}

async function countFault(deps: Deps, { id, attempts }: Mail): Promise<void> {
  const isLast = attempts + 1 >= MAX_ATTEMPTS
  const reason = "Bellhop couldn't process this email. Check the server log, then parse the email again."
  await deps.database.write(
    undefined,
    async (tx) =>
      await tx
        .update(mails)
        .set({
          attempts: attempts + 1,
          ...(isLast && { outcome: 'quarantined' as const, reason, processedAt: deps.clock.now() }),
        })
        .where(matches(mails, { id, outcome: 'pending' })),
  )
}

type MailboxServer = Pick<typeof mailboxes.$inferSelect, 'authservId' | 'imap' | 'smtp' | 'address'>

const findOwnServer = statement('mailboxes_own_server', { orgId: text, id: text }, (read: Reader, p) =>
  read
    .select({
      authservId: mailboxes.authservId,
      imap: mailboxes.imap,
      smtp: mailboxes.smtp,
      address: mailboxes.address,
    })
    .from(mailboxes)
    .where(matches(mailboxes, { orgId: p.orgId, id: p.id })),
)

// Both run at every commit, so they are planned once. They name the condition of the index literally: SQLite uses a
// partial index only then. The limits are part of the order, because Drizzle would bind them bare.
const findWaiting = statement(
  'mails_pending_mailboxes',
  { after: text, limit: integer, held: text },
  (read: Reader, p) =>
    read
      .select({ id: mailboxes.id, dueAt: sql<number>`0`.mapWith(Number) })
      .from(mailboxes)
      .where(
        and(
          gt(mailboxes.id, p.after),
          isHeld(mailboxes.id, p.held),
          sql`exists (select 1 from mails where mails.mailbox_id = mailboxes.id and outcome = 'pending')`,
        ),
      )
      .orderBy(sql`${mailboxes.id} limit ${p.limit}`),
)

/** Mails that failed before come after the others. */
const pendingOf = statement('mails_pending', { mailboxId: text, limit: integer }, (read: Reader, p) =>
  read
    .select()
    .from(mails)
    .where(and(eq(mails.mailboxId, p.mailboxId), sql`outcome = 'pending'`))
    .orderBy(sql`${mails.attempts}, ${mails.id} limit ${p.limit}`),
)

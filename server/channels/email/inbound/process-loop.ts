import { and, eq, gt, sql } from 'drizzle-orm'
import type { KeptFile } from '../../../attachments/file-store.ts'
import { readImageSize } from '../../../attachments/image-size.ts'
import type { Reader } from '../../../database/database.ts'
import { integerParameter, statement, textParameter } from '../../../database/statement.ts'
import { mailboxes, mails } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { type Loop, startLoop } from '../../../loop.ts'
import type { MailParser } from '../parse/parse-mail.ts'
import type { ParseResult } from '../parse/parsed-mail.ts'
import { fileMail, type Mail, type StoredFile } from './file-mail.ts'

/** Mails read from the ledger at once, and the mailboxes that they are from. */
const SLICE = 50
/** After this many failures that the mail didn't cause itself, it goes to quarantine. */
const MAX_ATTEMPTS = 3
const REST_MS = 60_000

/**
 * Mails stored in one commit. SQLite runs their units in order. PostgreSQL would run them concurrently, and could store
 * a reply before the mail that it answers.
 */
const AT_ONCE = { sqlite: 8, postgresql: 1 }

/** A mail that was read, with its files in the store. */
interface ReadMail {
  mail: Mail
  result: ParseResult
  files: StoredFiles
}

/**
 * Turns fetched mails into messages, in the order in which each mailbox fetched them, including those from before a
 * crash. Mailboxes take turns, so a flooded one doesn't delay the others. The next mails are parsed while the previous
 * ones are stored. A mail that fails doesn't delay the others.
 */
export function startProcessingMails(deps: Deps, parser: Pick<MailParser, 'parse'>): Loop {
  const atOnce = AT_ONCE[deps.database.engine]
  /** The mailbox whose turn was last. */
  let turn = ''
  return startLoop(deps, 'incoming mail', async () => {
    const { pending, hasMore, last } = await findPending(deps.database.read, turn)
    turn = last
    let next = readSome(pending.slice(0, atOnce))
    for (let start = 0; start < pending.length; start += atOnce) {
      const some = await next
      next = readSome(pending.slice(start + atOnce, start + 2 * atOnce))
      using _files = some.files
      await Promise.all(some.read.map((read) => store(deps, read)))
      // The disk or the Worker failed, not a mail. The rest waits.
      if (some.fault) {
        ;(await next).files.dispose()
        throw some.fault
      }
    }
    return hasMore ? 0 : REST_MS
  })

  /** Stops at the first mail that couldn't be read. */
  async function readSome(
    mails: Mail[],
  ): Promise<{ read: ReadMail[]; files: DisposableStack; fault?: Error }> {
    const files = new DisposableStack()
    const read: ReadMail[] = []
    const parsing = mails.map((mail) => parseStored(deps, parser, mail).catch((error: Error) => error))
    for (const [index, mail] of mails.entries()) {
      const result = await parsing[index]
      if (!result || result instanceof Error) return { read, files, fault: result ?? new Error('not parsed') }
      try {
        read.push({ mail, result, files: files.use(await storeFiles(deps, result)) })
      } catch (error) {
        return { read, files, fault: error instanceof Error ? error : new Error(String(error)) }
      }
    }
    return { read, files }
  }
}

async function store(deps: Deps, { mail, result, files }: ReadMail): Promise<void> {
  try {
    await fileMail(deps, mail, { result, files: files.stored })
  } catch (error) {
    deps.log.error('mail_failed', { mailId: mail.id, error })
    await countFault(deps, mail)
  }
}

interface StoredFiles extends Disposable {
  stored: StoredFile[]
}

async function parseStored(deps: Deps, parser: Pick<MailParser, 'parse'>, mail: Mail): Promise<ParseResult> {
  if (mail.hash === null) return { outcome: 'unparsable', reason: 'The original was deleted.' }
  const opened = await deps.files.open(mail.hash)
  if ('fault' in opened) {
    const reason = `The file with the original is ${opened.fault}. Restore it from your backup, then parse it again.`
    return { outcome: 'unparsable', reason }
  }
  const path = opened.file.name
  if (path === undefined) throw new Error('A stored file has no path.')
  const [mailbox] = await findAuthservId(deps.database.read, { orgId: mail.orgId, id: mail.mailboxId })
  return parser.parse({
    path,
    attachmentFolder: await deps.files.incomingFolder(),
    ...(mailbox?.authservId && { authservId: mailbox.authservId }),
  })
}

/** Moves the files of a mail into the store, where they stay at least until they are disposed of. */
export async function storeFiles(deps: Deps, result: ParseResult): Promise<StoredFiles> {
  using kept = new DisposableStack()
  const stored: StoredFile[] = []
  const files = new Map<string, KeptFile>()
  for (const { path, ...file } of result.outcome === 'parsed' ? result.mail.attachments : []) {
    const known = files.get(file.hash) ?? kept.use(await deps.files.adopt(path, file.hash))
    files.set(file.hash, known)
    const size = await readImageSize(file.type, known.head, known.file)
    stored.push({ ...file, width: size?.width ?? null, height: size?.height ?? null })
  }
  const release = kept.move()
  return { stored, [Symbol.dispose]: () => release.dispose() }
}

async function countFault(deps: Deps, { id, attempts }: Mail): Promise<void> {
  const isLast = attempts + 1 >= MAX_ATTEMPTS
  const reason = "Bellhop couldn't process this email. Check the server log, then parse the email again."
  await deps.database.write(
    async (tx) =>
      await tx
        .update(mails)
        .set({
          attempts: attempts + 1,
          ...(isLast && { outcome: 'quarantined' as const, reason, processedAt: deps.clock.now() }),
        })
        .where(and(eq(mails.id, id), eq(mails.outcome, 'pending'))),
  )
}

const findAuthservId = statement<{ orgId: string; id: string }, { authservId: string }[], Reader>(
  'mailboxes_authserv_id',
  (read, p) =>
    read
      .select({ authservId: mailboxes.authservId })
      .from(mailboxes)
      .where(and(eq(mailboxes.orgId, p.orgId), eq(mailboxes.id, p.id))),
)

interface PendingMails {
  /** One of each mailbox, then a second one, and so on. */
  pending: Mail[]
  /** Whether some were left out. */
  hasMore: boolean
  /** The last mailbox among them; empty when they are all of those that have mail. */
  last: string
}

/** `after` is the mailbox whose turn was last. */
async function findPending(read: Reader, after: string): Promise<PendingMails> {
  const rest = await pendingMailboxes(read, { after, limit: SLICE })
  const mailboxIds =
    rest.length > 0 || after === '' ? rest : await pendingMailboxes(read, { after: '', limit: SLICE })
  const limit = Math.ceil(SLICE / Math.max(1, mailboxIds.length))
  const ofEach = await Promise.all(mailboxIds.map(({ id }) => pendingOf(read, { mailboxId: id, limit })))
  const isLastTurn = mailboxIds.length < SLICE
  return {
    pending: Array.from({ length: limit }, (_, place) => ofEach.flatMap((some) => some[place] ?? [])).flat(),
    hasMore: !isLastTurn || after !== '' || ofEach.some((some) => some.length === limit),
    last: isLastTurn ? '' : (mailboxIds.at(-1)?.id ?? ''),
  }
}

// Both run at every commit, so they are planned once. They name the condition of the index literally: SQLite uses a
// partial index only then. The limits are part of the order, because Drizzle would bind them bare.
const pendingMailboxes = statement<{ after: string; limit: number }, { id: string }[], Reader>(
  'mails_pending_mailboxes',
  (read, p) =>
    read
      .select({ id: mailboxes.id })
      .from(mailboxes)
      .where(
        and(
          gt(mailboxes.id, textParameter(p.after)),
          sql`exists (select 1 from mails where mails.mailbox_id = mailboxes.id and outcome = 'pending')`,
        ),
      )
      .orderBy(sql`${mailboxes.id} limit ${integerParameter(p.limit)}`),
)

/** Mails that failed before come after the others. */
const pendingOf = statement<{ mailboxId: string; limit: number }, Mail[], Reader>(
  'mails_pending',
  (read, p) =>
    read
      .select()
      .from(mails)
      .where(and(eq(mails.mailboxId, textParameter(p.mailboxId)), sql`outcome = 'pending'`))
      .orderBy(sql`${mails.attempts}, ${mails.id} limit ${integerParameter(p.limit)}`),
)

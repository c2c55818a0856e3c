import { matches } from '../../../database/matches.ts'
import { insertOf } from '../../../database/statement.ts'
import { type mailboxes, mailFolders, mails } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import type { ImapSession } from '../imap/imap-session.ts'

/** A mail that is known already stays as it is. */
const insertMails = insertOf(mails, { onConflict: 'keep' })
/** Mails whose rows are stored in one unit. */
const MAX_PER_UNIT = 32
/** A mail that arrived shortly before the mailbox was connected is new too: the server's clock may differ. */
const CLOCK_MARGIN_MS = 5 * 60_000
const TOO_LARGE = 'The email is larger than 100 MB. Read it in your email program.'
const DAY_MS = 24 * 60 * 60_000

type Folder = typeof mailFolders.$inferSelect
type Mailbox = typeof mailboxes.$inferSelect

interface Sync {
  mailbox: Mailbox
  session: ImapSession
  /** Called after each unit, to process what it stored. */
  onFetched: () => void
}

/**
 * Fetches every mail of a folder that has no row in the ledger yet. The cursor is the highest UID (RFC 9051, 2.3.1.1),
 * so read flags and dates don't matter. The raw mail is on disk before its row and the cursor are stored, in one unit.
 * After a crash, the next sync continues where this one stopped. Returns how many mails the folder holds, and how many
 * were fetched now.
 */
export async function syncFolder(
  deps: Deps,
  name: string,
  sync: Sync,
): Promise<{ onServer: number; fetched: number }> {
  const { mailbox, session } = sync
  const { uidValidity, uidNext, exists } = await session.select(name)
  const folder = await folderOf(deps, { mailbox, session, name, uidValidity, uidNext })
  const isBehind = uidNext - 1 > folder.lastUid
  const fetched = isBehind ? await fetchAfter(deps, folder, { ...sync, uidNext }) : 0
  await deps.database.write(mailbox.orgId, async (tx) => {
    await tx.update(mailFolders).set({ checkedAt: deps.clock.now() }).where(isFolder(folder))
  })
  return { onServer: exists, fetched }
}

/**
 * Where to continue. A new folder starts at its end, or at the day to import from. If UIDVALIDITY changed, all UIDs are
 * new: everything since the start is fetched again, and known mails are recognized by their `Message-ID`.
 */
async function folderOf(
  deps: Deps,
  {
    mailbox,
    session,
    name,
    uidValidity,
    uidNext,
  }: { mailbox: Mailbox; session: ImapSession; name: string; uidValidity: string; uidNext: number },
): Promise<Folder> {
  const { id: mailboxId, orgId } = mailbox
  const [stored] = await deps.database.read
    .select()
    .from(mailFolders)
    .where(matches(mailFolders, { mailboxId, name }))
  if (stored?.uidValidity === uidValidity) return stored
  // IMAP searches by day, so it starts a day early. `isTooOld` is exact.
  const first = await session.firstUidSince(startOf(mailbox) - DAY_MS)
  const startUid = (first ?? uidNext) - 1
  const checkedAt = deps.clock.now()
  const folder = { orgId, mailboxId, name, uidValidity, lastUid: startUid, startUid, checkedAt }
  await deps.database.write(orgId, async (tx) => {
    await tx
      .insert(mailFolders)
      .values(folder)
      .onConflictDoUpdate({
        target: [mailFolders.mailboxId, mailFolders.name],
        set: { uidValidity, lastUid: startUid, startUid, checkedAt },
      })
  })
  return folder
}

async function fetchAfter(deps: Deps, folder: Folder, sync: Sync & { uidNext: number }): Promise<number> {
  const { mailbox, session, onFetched, uidNext } = sync
  const startAt = startOf(mailbox)
  let batch: (typeof mails.$inferSelect)[] = []
  let kept: Disposable[] = []
  let lastUid = folder.lastUid
  let fetched = 0

  async function save(): Promise<void> {
    if (lastUid === folder.lastUid && batch.length === 0) return
    const [rows, upTo] = [batch, lastUid]
    await deps.database.write(mailbox.orgId, async (tx) => {
      await insertMails(tx, rows)
      await tx.update(mailFolders).set({ lastUid: upTo }).where(isFolder(folder))
    })
    for (const file of kept) file[Symbol.dispose]()
    batch = []
    kept = []
    fetched += rows.length
    if (rows.length > 0) onFetched()
  }

  try {
    for await (const mail of session.fetchAfter(folder.lastUid, uidNext - 1)) {
      lastUid = mail.uid
      if (mail.receivedAt < startAt) continue
      const file = mail.source && (await deps.files.put(mail.source))
      if (file) kept.push(file)
      batch.push({
        id: deps.newId('eml'),
        orgId: folder.orgId,
        mailboxId: folder.mailboxId,
        folder: folder.name,
        uidValidity: folder.uidValidity,
        uid: mail.uid,
        hash: file?.hash ?? null,
        size: file?.size ?? mail.size,
        receivedAt: mail.receivedAt,
        outcome: file ? 'pending' : 'quarantined',
        reason: file ? '' : TOO_LARGE,
        fromAddress: '',
        subject: '',
        ticketId: null,
        messageId: null,
        becomesTicket: false,
        attempts: 0,
        createdAt: deps.clock.now(),
        processedAt: null,
      })
      if (batch.length >= MAX_PER_UNIT) await save()
    }
    // UIDs up to the end may have been deleted before they were fetched.
    lastUid = Math.max(lastUid, uidNext - 1)
    await save()
    return fetched
  } catch (error) {
    // Fetched mails count, even if the connection was lost afterward.
    await save()
    throw error
  } finally {
    for (const file of kept) file[Symbol.dispose]()
  }
}

function startOf({ importSince, createdAt }: Mailbox): number {
  return importSince ?? createdAt - CLOCK_MARGIN_MS
}

function isFolder({ mailboxId, name }: Folder) {
  return matches(mailFolders, { mailboxId, name })
}

import { and, eq } from 'drizzle-orm'
import { pauseMailbox } from '../../../server/channels/email/mailboxes/mailbox-state.ts'
import { createMailbox } from '../../../server/channels/email/mailboxes/mailboxes.ts'
import { mails } from '../../../server/database/tables/mailboxes.ts'
import type { Bellhop } from '../bellhop.ts'
import { newMailbox } from '../mailboxes.ts'
import { eventually } from '../webhooks.ts'

type FiledMail = typeof mails.$inferSelect

/** A mailbox whose mail is put into the ledger without a mail server, as if it had been fetched. */
interface FetchedMail {
  mailboxId: string
  /** Puts a raw mail into the ledger, and waits for its outcome. */
  fetched(raw: string | Uint8Array): Promise<FiledMail>
  /** Puts mails into the ledger in one commit. Returns their ids. */
  put(raws: string[]): Promise<string[]>
}

export async function openLedger(
  { deps }: Pick<Bellhop, 'deps'>,
  orgId: string,
  address?: string,
): Promise<FetchedMail> {
  const { id: mailboxId } = await createMailbox(deps, orgId, newMailbox(address ? { address } : {}))
  await pauseMailbox(deps, orgId, mailboxId)
  return ledgerOf({ deps }, orgId, mailboxId)
}

/** The same with a mailbox that is there. */
export function ledgerOf({ deps }: Pick<Bellhop, 'deps'>, orgId: string, mailboxId: string): FetchedMail {
  let uid = 0

  async function put(raws: (string | Uint8Array)[]): Promise<string[]> {
    using kept = new DisposableStack()
    const now = deps.clock.now()
    const rows: (typeof mails.$inferInsert)[] = []
    for (const raw of raws) {
      uid += 1
      const id = deps.newId('eml')
      const { hash, size } = kept.use(await deps.files.put(typeof raw === 'string' ? Buffer.from(raw) : raw))
      const place = { folder: 'INBOX', uidValidity: '1', uid }
      const times = { receivedAt: now, createdAt: now }
      rows.push({ id, orgId, mailboxId, ...place, ...times, hash, size, outcome: 'pending' })
    }
    await deps.database.write(undefined, async (tx) => {
      await tx.insert(mails).values(rows)
    })
    return rows.map(({ id }) => id)
  }

  return {
    mailboxId,
    put,
    async fetched(raw) {
      const [id = ''] = await put([raw])
      return eventually(async () => {
        const isIt = and(eq(mails.orgId, orgId), eq(mails.id, id))
        const [mail] = await deps.database.read.select().from(mails).where(isIt)
        return mail && mail.outcome !== 'pending' ? mail : undefined
      })
    },
  }
}

import { eq } from 'drizzle-orm'
import { deleteFiles } from '../../server/attachments/queries.ts'
import { readConfig } from '../../server/config.ts'
import { attachments } from '../../server/database/tables/attachments.ts'
import type { Deps } from '../../server/deps.ts'
import { openDeps } from '../../server/open-deps.ts'

// Stores and deletes the same files as other processes do, a row with each, and says a line for each time. Begins at the end of
// its standard input. Usage: bun store-files.ts ORG_ID TIMES

/** So few that most are stored, referred to, and deleted by several at the same time. */
const CONTENTS = 4
const AT_ONCE = 6

const [orgId = '', times = '0'] = process.argv.slice(2)
const deps = await openDeps(readConfig(process.env))
await Bun.stdin.text()
let left = Number(times)
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) process.stdout.write(`${await storeOnce(deps)}\n`)
  }),
)
await deps.database.close()

/** `ok`, or the hash of a file that was missing although a row referred to it. */
async function storeOnce({ database, files, newId, clock }: Deps): Promise<string> {
  const content = `The same bytes ${Math.floor(Math.random() * CONTENTS)}`
  const id = newId('att')
  let hash: string
  {
    using kept = await files.put(Buffer.from(content))
    hash = kept.hash
    const file = { name: 'x', type: 'text/plain', size: kept.size, createdAt: clock.now() }
    await database.write(orgId, async (tx) => {
      await tx.insert(attachments).values({ id, orgId, hash, ownerId: 'msg_1', ticketId: 'tkt_1', ...file })
    })
  }
  const isThere = await files.has(hash)
  await database.write(orgId, async (tx) => {
    await tx.delete(attachments).where(eq(attachments.id, id))
  })
  await deleteFiles(deps, [hash])
  return isThere ? 'ok' : hash
}

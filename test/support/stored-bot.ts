import { bots } from '../../server/database/tables/bots.ts'
import type { Deps } from '../../server/deps.ts'

let made = 0

/** A paused bot that Telegram was never asked about. Returns its id. */
export async function storeBot({ deps }: { deps: Deps }, orgId: string): Promise<string> {
  made += 1
  const id = deps.newId('bot')
  const now = deps.clock.now()
  await deps.database.write(undefined, async (tx) => {
    await tx.insert(bots).values({
      id,
      orgId,
      name: 'Acme Support',
      telegramId: `stored ${made} of ${id}`,
      username: `a_rather_long_name_of_a_bot_${made}_bot`,
      state: 'paused',
      token: deps.encryption.encrypt('7:nobody', id),
      createdAt: now,
      updatedAt: now,
    })
  })
  return id
}

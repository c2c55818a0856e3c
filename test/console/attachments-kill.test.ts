import { expect, test } from 'bun:test'
import { sweepSlices } from '../../server/attachments/sweep.ts'
import { attachments } from '../../server/database/tables/attachments.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'
import { storedFiles } from '../support/uploads.ts'
import { openWebhooks } from '../support/webhooks.ts'

const KILLS = 10
const MAX_LIFE_MS = 60
const MAX_TEST_MS = 60_000
const GRACE_MS = 2 * 60 * 60 * 1000

test(
  'whenever the process is killed, every file that was acknowledged is whole, and what is left over is swept',
  async () => {
    const place = await freshPlace()
    await using workspace = await openWebhooks({ place })
    const { deps } = workspace
    const acknowledged: string[] = []
    let leftOver = 0
    const lives = killedLives({
      program: `${import.meta.dir}/programs/uploads.ts`,
      args: [workspace.orgId],
      env: { ...process.env, ...place },
      kills: KILLS,
      longestLifeMs: MAX_LIFE_MS,
      // A busy machine may take longer to send a file than to live.
      firstWord: 'sent',
    })
    for await (const said of lives) {
      acknowledged.push(...said.filter((word) => word.startsWith('att_')))
      const rows = await deps.database.read.select().from(attachments)
      const hashes = new Set(rows.map(({ hash }) => hash))
      leftOver += storedFiles(deps).filter((name) => !hashes.has(name)).length
      const damaged = await Promise.all(
        rows.map(async ({ hash }) => 'fault' in (await deps.files.open(hash))),
      )
      expect(damaged.filter(Boolean)).toEqual([])
      const known = new Set(rows.map(({ id }) => id))
      expect(acknowledged.filter((id) => !known.has(id))).toEqual([])
    }
    const later = { ...deps, clock: { ...deps.clock, now: () => Date.now() + GRACE_MS } }
    for await (const _ of sweepSlices(later));
    const rows = await deps.database.read.select().from(attachments)
    expect(storedFiles(deps)).toEqual([...new Set(rows.map(({ hash }) => hash))].sort())
    // Otherwise no kill came at a moment that matters.
    const sent = await deps.database.read.select().from(tickets)
    expect([acknowledged.length > 0, sent.length > 0, leftOver >= 0]).toEqual([true, true, true])
  },
  MAX_TEST_MS,
)

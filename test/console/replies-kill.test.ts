import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { messages } from '../../server/database/tables/messages.ts'
import { scheduledMessages } from '../../server/database/tables/scheduled-messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { startSendingMessages } from '../../server/replies/scheduled-messages-loop.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const KILLS = 8
const MAX_LIFE_MS = 80
const MAX_TEST_MS = 60_000
const AGENT = 'agt_00000000000000000000000001'

test(
  'whenever the process is killed, every reply that was acknowledged goes once, with the status chosen for it',
  async () => {
    const place = await freshPlace()
    await using workspace = await openWebhooks({ place })
    const { read } = workspace.deps.database
    const acknowledged: string[] = []
    let waitedOverKills = 0
    const lives = killedLives({
      program: `${import.meta.dir}/programs/replies.ts`,
      args: [workspace.orgId, AGENT],
      env: { ...process.env, ...place },
      kills: KILLS,
      longestLifeMs: MAX_LIFE_MS,
      // A busy machine may take longer to connect than to live.
      firstWord: 'msg_',
    })
    for await (const [, ...ids] of lives) {
      acknowledged.push(...ids)
      waitedOverKills += (await read.select().from(scheduledMessages)).length
    }
    const sending = startSendingMessages(workspace.deps)
    await eventually(async () => (await read.select().from(scheduledMessages)).length === 0)
    await sending.stop()

    const sent = await read.select().from(messages).where(eq(messages.role, 'agent'))
    const ids = new Set(sent.map(({ id }) => id))
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([])
    // Each text is the ticket's id: one reply, one ticket, one message.
    expect(sent.map(({ text }) => text).sort()).toEqual(
      [...new Set(sent.map(({ ticketId }) => ticketId))].sort(),
    )
    const answered = new Set(sent.map(({ ticketId }) => ticketId))
    const wrong = (await read.select().from(tickets)).filter(
      ({ id, status }) => status !== (answered.has(id) ? 'resolved' : 'open'),
    )
    expect(wrong).toEqual([])
    // Otherwise no kill came at a moment that matters.
    expect([acknowledged.length > 0, waitedOverKills > 0]).toEqual([true, true])
  },
  MAX_TEST_MS,
)

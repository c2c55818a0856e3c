import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { readConversation } from '../../server/channels/widget/conversations/read-conversations.ts'
import { receiveVisitorMessage } from '../../server/channels/widget/conversations/receive-visitor-message.ts'
import { findVisitorByToken } from '../../server/channels/widget/visitors/visitors.ts'
import { findWidgetByKey } from '../../server/channels/widget/widgets/find-widget.ts'
import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'
import { openWebhooks } from '../support/webhooks.ts'

const KILLS = 20
const MAX_LIFE_MS = 80
const MAX_TEST_MS = 120_000

interface Sending {
  token: string
  conversation: string
  clientId: string
}

interface Said {
  sending?: Sending
  stored?: { clientId: string; messageId: string }
  answered?: { messageId: string }
}

test(
  'whenever the server is killed, what visitors send again is there once, and nothing acknowledged is lost',
  async () => {
    const place = await freshPlace()
    await using workspace = await openWebhooks({ place })
    const { deps, orgId } = workspace
    const { read } = deps.database
    const made = await createWidget(deps, orgId, { name: 'Shop', origins: ['https://shop.example'] })
    const said: Said[] = []
    const lives = killedLives({
      program: `${import.meta.dir}/programs/visitor-messages.ts`,
      args: [made.widget.key],
      env: { ...process.env, ...place },
      kills: KILLS,
      longestLifeMs: MAX_LIFE_MS,
      // A busy machine may take longer to connect than to live.
      firstWord: 'stored',
    })
    for await (const lines of lives) said.push(...lines.map((line) => JSON.parse(line)))

    const sent = said.flatMap(({ sending }) => sending ?? [])
    const acknowledged = new Map(
      said.flatMap(({ stored }) => (stored ? [[stored.clientId, stored.messageId]] : [])),
    )
    const received = await read.select().from(messages).where(eq(messages.role, 'customer'))
    const before = new Set(received.map(({ text }) => text))
    // Kills came before the commit, and between the commit and its answer.
    const open = sent.filter(({ clientId }) => !acknowledged.has(clientId))
    expect(open.length).toBeGreaterThan(0)
    expect([...acknowledged.keys()].filter((clientId) => !before.has(clientId))).toEqual([])

    const found = await findWidgetByKey(deps, made.widget.key)
    if (found.state !== 'active') throw new Error('The widget is gone.')
    const ticketOf = new Map<string, string>()
    for (const { token, conversation, clientId } of sent) {
      const me = await findVisitorByToken(deps, token)
      if (!me) throw new Error('An acknowledged session is lost.')
      const message = { conversation, clientId, text: clientId, attachments: [], typed: {} }
      const again = await receiveVisitorMessage(deps, { widget: found.widget, me }, message)
      expect(again.isRepeated).toBe(before.has(clientId))
      expect(acknowledged.get(clientId) ?? again.messageId).toBe(again.messageId)
      expect(ticketOf.get(conversation) ?? again.ticketId).toBe(again.ticketId)
      ticketOf.set(conversation, again.ticketId)
    }

    const all = await read.select().from(messages)
    const texts = all.filter(({ role }) => role === 'customer').map(({ text }) => text)
    expect(texts.sort()).toEqual(sent.map(({ clientId }) => clientId).sort())
    expect(await read.select().from(tickets)).toHaveLength(ticketOf.size)
    const answers = new Map(all.filter(({ role }) => role === 'agent').map(({ id, text }) => [id, text]))
    expect(
      said.flatMap(({ answered }) => (answered ? [answered.messageId] : [])).filter((id) => !answers.has(id)),
    ).toEqual([])
    expect(new Set(answers.values()).size).toBe(answers.size)

    // The visitors see the same, in order.
    for (const [conversation, id] of [...ticketOf].slice(0, 10)) {
      const token = sent.find((one) => one.conversation === conversation)?.token ?? ''
      const me = await findVisitorByToken(deps, token)
      const shown = me && (await readConversation(deps, me, { id, before: undefined }))
      const newest = all
        .filter(({ ticketId }) => ticketId === id)
        .sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))
        .slice(-50)
      expect(shown?.messages.map(({ text }) => text)).toEqual(newest.map(({ text }) => text))
    }
  },
  MAX_TEST_MS,
)

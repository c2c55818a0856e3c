import { expect, test } from 'bun:test'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { readConfig } from '../../server/config.ts'
import { openDeps } from '../../server/deps.ts'
import { createId } from '../../server/ids.ts'
import { createLog } from '../../server/log.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { call } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import { reservePort } from '../support/mail/ports.ts'
import { type RunningServer, startProgram } from '../support/program.ts'
import { openVisitorClient, standOnPage, type VisitorClient } from '../support/visitor-client.ts'
import { ORIGIN } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

// On PostgreSQL each start takes longer, and what differs from SQLite are the units of work.
const ROUNDS = process.env.DATABASE_URL ? 8 : 20
const VISITORS = 50
const POLL_MS = 10
const MAX_TEST_MS = 180_000

interface TicketJson {
  messages: { text: string }[]
}

test(
  'whenever the server is killed, 50 visitors and their agents have every message once, without a reload',
  async () => {
    const { BELLHOP_DATA, DATABASE_URL } = await freshPlace()
    const place = { BELLHOP_DATA, ...(DATABASE_URL && { DATABASE_URL }) }
    const settings = { ...place, BELLHOP_TRUST_PROXY: '127.0.0.0/8', BELLHOP_RATE_LIMIT: '1000000' }
    const deps = await openDeps(readConfig(place), { log: createLog('error', false, () => {}, Date.now) })
    const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
    const { secret } = await createApiKey(deps, orgId, { name: 'Agents', kind: 'secret' })
    const { widget } = await createWidget(deps, orgId, { name: 'Shop', origins: [ORIGIN] })
    await deps.database.close()

    const PORT = String(reservePort())
    let server: RunningServer = await startProgram({ ...settings, PORT })
    const { url } = server
    const headers = { authorization: `Bearer ${secret}` }
    const tickets = new Map<VisitorClient, string>()
    let acknowledged = 0
    let unanswered = 0
    let isOver = false

    /** As the inbox: under one id until there is a response. */
    async function answer(ticketId: string, text: string): Promise<void> {
      const path = `${url}/v1/tickets/${ticketId}/messages/${createId('msg', Date.now())}`
      unanswered += 1
      while (!isOver) {
        const sent = await call('PUT', path, { body: { text }, headers }).catch(() => undefined)
        if (sent && sent.status < 300) break
        await Bun.sleep(POLL_MS)
      }
      unanswered -= 1
      acknowledged += 1
    }

    using _page = standOnPage()
    const visitors = Array.from({ length: VISITORS }, (_, number) => {
      const client: VisitorClient = openVisitorClient({
        url,
        key: widget.key,
        origin: ORIGIN,
        address: `203.0.113.${number + 1}`,
        onSent({ conversationId, text }) {
          acknowledged += 1
          tickets.set(client, conversationId)
          void answer(conversationId, `Answer to ${text}`)
        },
      })
      return client
    })
    const expected: string[] = []
    let isInTheMiddle = false
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = acknowledged
        for (const visitor of visitors) visitor.write(`Message ${round}`)
        expected.push(`Message ${round}`, `Answer to Message ${round}`)
        // At any step of any of them, from the first session to the last answer.
        const steps = Math.floor(Math.random() * 2 * VISITORS)
        await eventually(async () => acknowledged - before >= steps)
        isInTheMiddle ||= visitors.some((visitor) => visitor.unsent() > 0) && unanswered > 0
        await server.end('SIGKILL')
        server = await startProgram({ ...settings, PORT })
        for (const visitor of visitors) visitor.reconnect()
      }
      const isComplete = (visitor: VisitorClient) =>
        visitor.unsent() === 0 && visitor.messages().some(({ text }) => text === expected.at(-1))
      await eventually(async () => {
        await Bun.sleep(POLL_MS)
        return unanswered === 0 && visitors.every(isComplete)
      })
      expect(isInTheMiddle).toBe(true)
      for (const visitor of visitors) {
        // An answer that was sent again after a kill may come after the last one.
        await eventually(async () => {
          await visitor.loadOlder()
          return visitor.messages().length >= expected.length
        })
        const shown = visitor.messages().map(({ text }) => text)
        expect(shown.toSorted()).toEqual(expected.toSorted())
        const { json } = await call<TicketJson>('GET', `${url}/v1/tickets/${tickets.get(visitor)}`, {
          headers,
        })
        expect(json.messages.map(({ text }) => text)).toEqual(shown)
      }
      const all = await call<{ meta: { total: number } }>('GET', `${url}/v1/tickets`, { headers })
      expect(all.json.meta.total).toBe(VISITORS)
    } finally {
      isOver = true
      for (const visitor of visitors) visitor.stop()
      await server.end('SIGKILL')
    }
  },
  MAX_TEST_MS,
)

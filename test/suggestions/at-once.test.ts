import { afterAll, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { tickets } from '../../server/database/tables/tickets.ts'
import { startBellhop } from '../support/bellhop.ts'
import {
  dismissSuggestion,
  openSuggestions,
  programOf,
  type SuggestionJson,
  suggestionsOf,
} from '../support/suggestions.ts'
import { readTicket } from '../support/tickets.ts'

const bellhop = await startBellhop({ settings: { BELLHOP_RATE_LIMIT: '10000' } })
afterAll(() => bellhop.stop())

test('whatever happens at once, what is open answers the newest message, and its ticket knows', async () => {
  const { client, ben, ana, bot, id } = await openSuggestions(bellhop)
  const programs = [
    bot,
    await programOf(bellhop, client, 'Second'),
    await programOf(bellhop, client, 'Third'),
  ]
  for (let round = 0; round < 12; round += 1) {
    const { messages } = await readTicket(client, id)
    const answers = messages.findLast(({ role }) => role === 'customer')?.id
    const path = `/tickets/${id}/suggestions`
    const [one, other] = await suggestionsOf(client, id)
    const done = await Promise.all([
      ...(other ? [ana.call('POST', `/console${path}/${other.id}/use`)] : []),
      ...(one ? [dismissSuggestion(ben, one)] : []),
      ...programs.map((by) =>
        by.call<SuggestionJson>('POST', path, { body: { text: `Answer ${round}`, answers } }),
      ),
      ...(round % 2 === 0
        ? [client.call('POST', `/tickets/${id}/messages`, { body: { text: 'Also?', role: 'customer' } })]
        : []),
      ...(round % 3 === 0
        ? [ana.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'Yes.' } })]
        : []),
      ...programs.map((by) =>
        by.call<SuggestionJson>('POST', path, { body: { text: `Again ${round}`, answers } }),
      ),
    ])
    for (const { status, text } of done) expect([200, 201, 204, 409], text).toContain(status)
    await requireConsistent()
  }

  async function requireConsistent(): Promise<void> {
    const open = (await suggestionsOf(client, id)).filter(({ state }) => state === 'open')
    const { messages } = await readTicket(client, id)
    const last = messages.at(-1)
    for (const { answers } of open) expect([last?.role, last?.id]).toEqual(['customer', answers])
    expect(new Set(open.map(({ by }) => by.id)).size).toBe(open.length)
    const [row] = await bellhop.deps.database.read
      .select({ isSuggested: tickets.isSuggested })
      .from(tickets)
      .where(and(eq(tickets.orgId, client.orgId), eq(tickets.id, id)))
    expect(row?.isSuggested).toBe(open.length > 0)
  }
})

import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isNotNull } from 'drizzle-orm'
import { engine } from '../../server/database/columns.ts'
import { organizations } from '../../server/database/tables/organizations.ts'
import { ticketCounters } from '../../server/database/tables/tickets.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import { addNote, newestMessage } from '../support/threads.ts'
import { makeTicket, type TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const MARKER = 'xylocarpaceous'
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await (await bellhop.organization()).withKey({ rateLimit: 1_000_000 })
const root = await signInAgent(bellhop, acme.orgId, { role: 'admin' })

/** After this the index has removed what was deleted. */
async function untilNothingIsLeft(): Promise<void> {
  await eventually(async () => {
    const { read } = bellhop.deps.database
    return (await read.select().from(organizations).where(isNotNull(organizations.erasedEvent))).length === 0
  })
}

function filesWith(word: string): string[] {
  const file = join(bellhop.deps.config.dataFolder, 'bellhop.db')
  return [file, `${file}-wal`].filter((name) => existsSync(name) && readFileSync(name).includes(word))
}

async function ticketWithMarker(): Promise<string> {
  const customer = { name: `Ana ${MARKER}`, email: `${MARKER}@example.com` }
  const { id } = await makeTicket(acme, {
    subject: MARKER,
    message: `A ${MARKER}.`,
    tags: [MARKER],
    customer,
  })
  const message = `${MARKER} again. ${'Filling words. '.repeat(300)}${MARKER}`
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: message } })
  await addNote(root, id, `Note of ${MARKER}`)
  const draft = { kind: 'reply', text: `Draft of ${MARKER}` }
  await root.call('PUT', `/console/tickets/${id}/draft`, { body: draft })
  await root.call('PUT', `/console/tickets/${id}/read`, {
    body: { messageId: await newestMessage(root, id) },
  })
  return id
}

test.if(engine === 'sqlite')('no byte of permanently deleted data is left in the files', async () => {
  for (let turn = 0; turn < 30; turn += 1) await makeTicket(acme, { subject: `Other ${turn}` })
  const id = await ticketWithMarker()
  for (let turn = 0; turn < 30; turn += 1) await makeTicket(acme, { subject: `Later ${turn}` })
  for (const query of [`from:${MARKER}@example.com`, `status:open -from:"${MARKER}@example.com" -tag:spam`]) {
    const view = await root.call('POST', '/console/views', { body: { name: 'Theirs', query } })
    expect(view.status, view.text).toBe(201)
  }
  await indexed(bellhop)
  expect(filesWith(MARKER)).not.toEqual([])
  const { json } = await acme.call<TicketJson>('GET', `/tickets/${id}`)
  const erased = await root.call('DELETE', `/console/customers/${json.customer.userId}`)
  expect(erased.json).toEqual({ deletedTickets: 1 })
  await untilNothingIsLeft()
  await indexed(bellhop)
  expect(filesWith(MARKER)).toEqual([])
})

test('no counter keeps the tags of deleted tickets', async () => {
  const { id } = await makeTicket(acme, { tags: ['very private'] })
  await root.call('DELETE', `/console/tickets/${id}`)
  await untilNothingIsLeft()
  const rows = await bellhop.deps.database.read.select().from(ticketCounters)
  expect(rows.filter(({ tag }) => tag.includes('very private'))).toEqual([])
})

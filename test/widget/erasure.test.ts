import { afterAll, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { SignJWT } from 'jose'
import { customerIdentities } from '../../server/database/tables/customers.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { visitors, widgetConversations, widgetMessages } from '../../server/database/tables/widgets.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { openWidget } from '../support/visitors.ts'

const bellhop = await startBellhop()
const { read } = bellhop.deps.database
afterAll(() => bellhop.stop())

test('a deleted ticket is gone from the widget, and a deleted customer from every browser', async () => {
  const { orgId } = await bellhop.organization()
  const widget = await openWidget(bellhop, orgId)
  const admin = await signInAgent(bellhop, orgId, { role: 'admin' })
  const exp = Math.floor(Date.now() / 1_000) + 600
  const jwt = await new SignJWT({ sub: '42', exp, email: 'ana@example.com' })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(widget.identitySecret))
  const [phone, laptop, stranger] = [
    await widget.visit({ jwt }),
    await widget.visit({ jwt }),
    await widget.visit(),
  ]
  const [first, second] = [await phone.say('First'), await phone.say('Second')]
  const kept = await stranger.say('Mine')
  expect((await admin.call('DELETE', `/console/tickets/${first.conversation.id}`)).status).toBe(204)
  expect((await phone.conversations()).data.map(({ id }) => id)).toEqual([second.conversation.id])
  const [ticket] = await read.select().from(tickets).where(eq(tickets.id, second.conversation.id))
  await using stream = await laptop.stream()
  await stream.next('hello')
  const erased = await admin.call('DELETE', `/console/customers/${ticket?.customerId}`)
  expect([erased.status, erased.json]).toEqual([200, { deletedTickets: 1 }])
  await stream.next('deleted')
  await stream.next('signed_out')
  expect((await laptop.call('GET', '/conversations')).status).toBe(401)
  // The token of a browser without a stream is remembered for a minute, but it opens nothing.
  expect((await phone.write('Hello')).status).toBe(401)
  for (const table of [visitors, widgetConversations, widgetMessages, customerIdentities]) {
    expect(await read.select().from(table).where(eq(table.orgId, orgId))).toHaveLength(1)
  }
  expect((await stranger.conversations()).data.map(({ id }) => id)).toEqual([kept.conversation.id])
  const isUser = and(eq(visitors.orgId, orgId), eq(visitors.userId, '42'))
  expect(await read.select().from(visitors).where(isUser)).toEqual([])
})

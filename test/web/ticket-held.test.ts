import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { createManualClock, letRun } from '../support/clock.ts'
import { rowOf } from '../support/inbox.ts'
import { readThread, sendNow, sendReply } from '../support/threads.ts'
import { field, openTicket, openWorkspace } from '../support/ticket-page.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const clock = createManualClock(Date.now())
const bellhop = await startBellhop({ clock })
// The server reports changes to pages after short pauses.
const running = letRun(clock)
afterAll(async () => {
  running[Symbol.dispose]()
  await bellhop.stop()
})

/** Ben sends and goes on with the next ticket; Cy answers the first one before Ben's reply goes. */
async function overtake(page: Page, ben: SignedInAgent, cy: SignedInAgent, ticketId: string): Promise<void> {
  await field(page).fill('It is attached.')
  await field(page).press('Control+Shift+Enter')
  await page.waitForURL((url) => !url.pathname.endsWith(ticketId))
  await eventually(async () => (await readThread(ben, ticketId)).waiting.length === 1)
  const reply = await sendReply(cy, ticketId, { text: 'I was faster.' })
  await sendNow(cy, ticketId, reply.id)
  await eventually(async () => {
    clock.advance(1_000)
    return (await readThread(ben, ticketId)).waiting[0]?.isHeld === true
  })
}

async function openTwo() {
  const { ben, client } = await openWorkspace(bellhop)
  const ticket = await makeTicket(client, { subject: 'Parcel lost' })
  const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
  return { ben, cy, ticket }
}

const SENTENCE = 'Cy Lindqvist replied first, so your reply to Ana Pires is on hold.'

browserTest('an agent who has gone on hears that their reply is held, and finds it', async () => {
  const { ben, cy, ticket } = await openTwo()
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.getByRole('option').nth(1).waitFor()
  await overtake(page, ben, cy, ticket.id)

  const notice = page.getByRole('alert').filter({ hasText: SENTENCE })
  await notice.waitFor()
  await rowOf(page, 'Parcel lost').getByRole('img', { name: 'A reply is on hold' }).waitFor()
  const held = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Held 1' })
  await held.waitFor()

  await notice.getByRole('button', { name: 'Open' }).click()
  await page.waitForURL(`**/inbox/held/${ticket.id}`)
  await page.getByText('Cy Lindqvist replied just now').waitFor()
  const thread = page.getByRole('region', { name: 'Thread' })
  await thread.getByText('It is attached.').waitFor()
  expect(await thread.getByText('I was faster.').count()).toBe(1)
  expect(await page.locator('.ticket-row:is([data-cursor], [aria-current])').count()).toBe(1)
  await page.reload()
  await rowOf(page, 'Parcel lost').waitFor()
  await page.getByRole('button', { name: 'Send anyway' }).click()
  await page.locator('.message-group[data-who=agent]').nth(1).waitFor()
  await eventually(async () => (await page.getByRole('link', { name: 'Held 1' }).count()) === 0)
})

browserTest('any agent can send or discard a held reply of a disabled agent', async () => {
  const { ben, ticket, client } = await openWorkspace(bellhop)
  const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
  await sendReply(cy, ticket.id, { text: 'Left behind.' })
  await ben.call('POST', `/console/agents/${cy.id}/disable`)
  await eventually(async () => {
    clock.advance(1_000)
    return (await readThread(ben, ticket.id)).waiting[0]?.isHeld === true
  })
  await client.call('POST', `/tickets/${ticket.id}/messages`, { body: { text: 'From the shop.' } })
  const page = await openPage({ url: bellhop.url, agent: ben })
  await page.goto('/inbox/held')
  await page.getByRole('option').click()
  const held = page.getByRole('article', { name: 'Held reply' })
  await held.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: 'Send anyway' }).click()
  await eventually(async () => {
    const { timeline } = await readThread(ben, ticket.id)
    return timeline.some(({ text, agentName }) => text === 'Left behind.' && agentName === 'Ben Okafor')
  })
})

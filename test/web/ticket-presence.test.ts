import { expect } from 'bun:test'
import { addMessages } from '../support/add-messages.ts'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { field, openTicket, openWorkspace } from '../support/ticket-page.ts'

const bellhop = await sharedBellhop()

browserTest('two agents see each other, and what the customer writes appears without a reload', async () => {
  const { ben, ticket, place } = await openWorkspace(bellhop)
  const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
  const bens = await openTicket(bellhop, ben, ticket.id)
  const cys = await openTicket(bellhop, cy, ticket.id)
  await bens.locator('.presence-line').getByText('Cy Lindqvist is viewing').waitFor({ state: 'attached' })
  await field(cys).pressSequentially('Let me')
  await bens.locator('.composer').getByText('Cy Lindqvist is replying').waitFor()
  await addMessages(bellhop.deps, place, { text: 'Are you there?' })
  for (const page of [bens, cys]) {
    await page.getByRole('region', { name: 'Thread' }).getByText('Are you there?').waitFor()
  }
  await cys.goto('/inbox/open')
  await bens.locator('.presence-line-agent').waitFor({ state: 'hidden' })
})

browserTest('the names at a ticket are not announced again when another agent opens the inbox', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
  const dee = await signInAgent(bellhop, ben.orgId, { name: 'Dee Okonjo' })
  const bens = await openTicket(bellhop, ben, ticket.id)
  await openTicket(bellhop, cy, ticket.id)
  const colleague = bens.locator('.presence-line-agent')
  await colleague.waitFor({ state: 'attached' })
  const said = await colleague.elementHandle()
  const dees = await openPage({ url: bellhop.url, agent: dee })
  await dees.goto('/inbox')
  await bens.getByText('2 online').waitFor()
  expect(await said?.evaluate((element) => element.isConnected)).toBe(true)
})

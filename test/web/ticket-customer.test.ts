import { expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { addNote, newestMessage, readThread } from '../support/threads.ts'
import { openTicket, openWorkspace } from '../support/ticket-page.ts'
import { listTickets, makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest('the panel says who the customer is and leads to what else they wrote about', async () => {
  const { ben, ticket, client } = await openWorkspace(bellhop)
  const other = await makeTicket(client, { subject: 'Cannot sign in' })
  await makeTicket(client, { subject: 'Of someone else', customer: { email: 'else@example.com' } })
  const page = await openTicket(bellhop, ben, ticket.id)
  const panel = page.getByRole('complementary', { name: 'Customer' })
  await panel.getByRole('heading', { name: 'Ana Pires' }).waitFor()
  await panel.getByRole('button', { name: 'Copy email address' }).click()
  await eventually(
    async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'ana@example.com',
  )
  await panel.getByRole('link', { name: 'Cannot sign in' }).waitFor()
  expect(await panel.getByRole('link').count()).toBe(1)
  await panel.getByRole('link', { name: 'Cannot sign in' }).click()
  await page.waitForURL(`**/inbox/open/${other.id}`)
  await panel.getByRole('link', { name: 'Missing invoice' }).waitFor()

  await page.goto(`/inbox/search/${other.id}?q=sign`)
  await panel.getByRole('link', { name: 'Missing invoice' }).click()
  await page.waitForURL(`**/inbox/search/${ticket.id}?q=sign`)
})

browserTest('metadata whose keys an administrator chooses is shown beside the conversation', async () => {
  const { ben, ticket, client } = await openWorkspace(bellhop, { metadata: { order: '4711', plan: 'gold' } })
  const [{ customerId = '' } = {}] = (await listTickets(client)).data
  await client.call('PATCH', `/customers/${customerId}`, { body: { metadata: { region: 'EU' } } })
  const page = await openTicket(bellhop, ben, ticket.id)
  const panel = page.getByRole('complementary', { name: 'Customer' })
  await panel.getByRole('heading', { name: 'Ana Pires' }).waitFor()
  expect(await panel.getByText('plan').count()).toBe(0)

  const settings = await page.context().newPage()
  await settings.goto('/settings/organization')
  await settings.getByLabel('Keys to show').fill('plan, region,, none')
  await settings.getByRole('button', { name: 'Save keys' }).click()
  await settings.getByText('Metadata keys saved.').waitFor()
  expect(await settings.getByLabel('Keys to show').inputValue()).toBe('plan, region, none')

  await panel.getByRole('definition').filter({ hasText: 'gold' }).waitFor()
  await panel.getByRole('definition').filter({ hasText: 'EU' }).waitFor()
  expect(await panel.getByText(/^(none|order)$/).count()).toBe(0)
})

browserTest(
  'an administrator deletes a customer permanently by typing a word; an agent is not offered it',
  async () => {
    const { ben, ticket, client } = await openWorkspace(bellhop)
    const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
    await makeTicket(client, { subject: 'Cannot sign in' })
    const cys = await openTicket(bellhop, cy, ticket.id)
    await cys.getByRole('heading', { name: 'Ana Pires' }).waitFor()
    await cys.getByRole('button', { name: 'Actions for Ana Pires' }).click()
    await cys.getByRole('menuitem', { name: 'Open customer' }).waitFor()
    expect(await cys.getByRole('menuitem', { name: /Delete/ }).count()).toBe(0)
    await cys.keyboard.press('Escape')

    const bens = await openTicket(bellhop, ben, ticket.id)
    await bens.getByRole('button', { name: 'Actions for Ana Pires' }).click()
    await bens.getByRole('menuitem', { name: 'Delete customer permanently…' }).click()
    const dialog = bens.getByRole('dialog', { name: 'Delete Ana Pires permanently?' })
    await dialog.getByText('Their 2 tickets and all messages are deleted too').waitFor()
    await dialog.getByRole('textbox').fill('delete')
    await dialog.getByRole('button', { name: 'Delete customer' }).click()
    await bens.getByText('Customer deleted, with 2 tickets').waitFor()
    // Back in the list; and nothing of the customer stays on any screen, also a colleague's.
    await bens.waitForURL('**/inbox/open')
    await cys.getByText('Ticket not found').waitFor()
    await cys.getByText('Nothing to show without the ticket.').waitFor()
    await eventually(async () => (await bens.getByText('Ana Pires').count()) === 0)
    expect(await cys.getByRole('complementary').getByText('Ana Pires').count()).toBe(0)
    expect((await listTickets(client)).meta.total).toBe(0)
  },
)

browserTest('a ticket that is marked as unread stays so while it is open', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const newest = await newestMessage(ben, ticket.id)
  const page = await openTicket(bellhop, ben, ticket.id)
  await eventually(async () => (await readThread(ben, ticket.id)).readUpTo === newest)
  await page.getByRole('button', { name: 'Actions for this ticket' }).click()
  await page.getByRole('menuitem', { name: 'Mark as unread' }).click()
  await page.getByText('Marked as unread').waitFor()
  await eventually(async () => (await readThread(ben, ticket.id)).readUpTo === null)
  await addNote(ben, ticket.id, 'A note.')
  await page.getByRole('article', { name: 'Internal note by Ben Okafor' }).waitFor()
  expect((await readThread(ben, ticket.id)).readUpTo).toBeNull()
})

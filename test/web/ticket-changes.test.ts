import { expect } from 'bun:test'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests } from '../support/browser.ts'
import { openTicketPage } from '../support/ticket-page.ts'
import { readTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest('a status, an assignee and a tag are seen at once, with an Undo, and by the server', async () => {
  const { ben, ticket, client, page } = await openTicketPage(bellhop)
  await page.keyboard.press('e')
  await page.getByRole('button', { name: 'Status: Resolved' }).waitFor()
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'resolved')
  await page.keyboard.press('Control+z')
  await page.getByRole('button', { name: 'Status: Open' }).waitFor()
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'open')

  await page.keyboard.press('i')
  await page.getByRole('button', { name: 'Assignee: Ben Okafor' }).waitFor()
  await page.getByText('Ben Okafor took the ticket').waitFor()
  await page.keyboard.press('t')
  await page.getByRole('combobox', { name: 'Add or remove tags' }).waitFor()
  await page.keyboard.type('vip')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Tags: vip' }).waitFor()
  await eventually(async () => (await readTicket(client, ticket.id)).tags.includes('vip'))
  await page.getByText('Ben Okafor added the tag vip').first().waitFor()
  const items = [{ id: ticket.id, change: { assignedTo: null } }]
  await ben.call('POST', '/console/bulk', { body: { items } })
  await page.getByText('Ben Okafor unassigned themselves').first().waitFor()
})

browserTest('a key that is pressed the moment a picker closes does what it does', async () => {
  const { ben, ticket, client, page } = await openTicketPage(bellhop)
  await page.keyboard.press('a')
  await page.getByRole('listbox', { name: 'Assign to' }).getByRole('option').first().waitFor()
  await Promise.all([page.keyboard.press('Enter'), page.keyboard.press('e')])
  await page.getByRole('button', { name: 'Status: Resolved' }).waitFor()
  await eventually(async () => {
    const { status, assignedTo } = await readTicket(client, ticket.id)
    return status === 'resolved' && assignedTo === ben.id
  })
})

browserTest('a change that the server refuses is taken back, and the reason is said', async () => {
  const { page } = await openTicketPage(bellhop)
  await interceptRequests(page, '**/console/bulk', (route) =>
    route.fulfill({
      status: 403,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'not_yours', detail: 'Only Dana may resolve this.' }),
    }),
  )
  await page.keyboard.press('e')
  await page.getByText('Only Dana may resolve this.').waitFor()
  await page.getByRole('button', { name: 'Status: Open' }).waitFor()
})

browserTest('the subject is changed in its place, and a ticket is deleted only by its word', async () => {
  const { ticket, client, page } = await openTicketPage(bellhop)
  await page.getByRole('button', { name: 'Missing invoice' }).click()
  await page.getByRole('textbox', { name: 'Subject' }).fill('Invoice for February')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Invoice for February' }).waitFor()
  await eventually(async () => (await readTicket(client, ticket.id)).subject === 'Invoice for February')

  await page.getByRole('button', { name: 'Actions for this ticket' }).click()
  await page.getByRole('menuitem', { name: 'Delete permanently…' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('button', { name: 'Delete ticket' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('delete')
  await dialog.getByRole('button', { name: 'Delete ticket' }).click()
  await page.getByText('Ticket deleted').waitFor()
  expect((await client.call('GET', `/tickets/${ticket.id}`)).status).toBe(404)
})

import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { mailboxes } from '../../server/database/tables/mailboxes.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { readThread } from '../support/threads.ts'
import { openTicket, openTicketPage, openWorkspace, textIn } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest('after Send the next key is for the ticket, not for a new draft', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  await page.keyboard.press('r')
  await page.keyboard.type('Done.')
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('e')
  await eventually(async () => (await readThread(ben, ticket.id)).ticket.status === 'resolved')
  expect(await textIn(page)).toBe('')

  await page.keyboard.press('n')
  await page.keyboard.type('Ask Dana.')
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('e')
  await eventually(async () => (await readThread(ben, ticket.id)).ticket.status === 'open')
  await eventually(async () => (await readThread(ben, ticket.id)).drafts.length === 0)
})

browserTest('a reply that cannot leave says why before it is written, and who can change that', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  await bellhop.deps.database.write(undefined, (tx) =>
    tx.update(tickets).set({ channel: 'email' }).where(eq(tickets.id, ticket.id)),
  )
  const line = (page: Page) => page.locator('.destination-problem')
  {
    const page = await openTicket(bellhop, ben, ticket.id)
    expect(await line(page).textContent()).toBe("Won't be sent: No mailbox is connected. Open settings")
    await line(page).getByRole('link', { name: 'Open settings' }).click()
    await page.waitForURL('**/settings/email')
  }
  const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
  const page = await openTicket(bellhop, cy, ticket.id)
  expect(await line(page).textContent()).toBe(
    "Won't be sent: No mailbox is connected. Ask an administrator to connect it.",
  )
})

browserTest(
  'a paused mailbox is one sentence wherever emails wait for it, and is resumed there',
  async () => {
    const { ben, ticket } = await openWorkspace(bellhop)
    await bellhop.deps.database.write(undefined, (tx) =>
      tx.update(tickets).set({ channel: 'email' }).where(eq(tickets.id, ticket.id)),
    )
    const { id } = (await ben.call<{ id: string }>('POST', '/console/mailboxes', { body: newMailbox() })).json
    await ben.call('POST', `/console/mailboxes/${id}/pause`)
    const sentence = 'The mailbox support@acme.example is paused.'
    const line = (page: Page) => page.locator('.destination-problem')
    {
      const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
      const page = await openTicket(bellhop, cy, ticket.id)
      expect(await line(page).textContent()).toBe(
        `Won't be sent yet: ${sentence} Ask an administrator to resume it.`,
      )
    }
    const page = await openTicket(bellhop, ben, ticket.id)
    expect(await line(page).textContent()).toBe(`Won't be sent yet: ${sentence} Resume`)
    await page.goto(`/settings/email/${id}`)
    await page.getByText(sentence).waitFor()

    await page.goto(`/inbox/open/${ticket.id}`)
    await line(page).waitFor()
    await page.getByRole('button', { name: 'New ticket' }).click()
    const dialog = page.getByRole('dialog', { name: 'New ticket' })
    await dialog.getByText(`Won't be sent yet: ${sentence}`).waitFor()
    await dialog.getByRole('button', { name: 'Resume' }).click()
    await dialog.getByText('From support@acme.example').waitFor()
    await page.keyboard.press('Escape')
    await line(page).waitFor({ state: 'detached' })

    await bellhop.deps.database.write(undefined, (tx) =>
      tx.update(mailboxes).set({ state: 'refused' }).where(eq(mailboxes.id, id)),
    )
    await page.reload()
    await line(page).getByRole('link', { name: 'Fix sign-in' }).click()
    await page.waitForURL(`**/settings/email/${id}`)
  },
)

browserTest('Escape right after Send stays in the ticket, and the next one leaves it', async () => {
  const { page, ticket } = await openTicketPage(bellhop)
  await page.keyboard.press('r')
  await page.keyboard.type('On its way.')
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('Escape')
  await page.locator('.ticket-pane:focus').waitFor()
  expect(page.url()).toEndWith(`/inbox/open/${ticket.id}`)
  await page.keyboard.press('Escape')
  await page.waitForURL('**/inbox/open')
})

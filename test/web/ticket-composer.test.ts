import { afterAll, expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { tickets } from '../../server/database/tables/tickets.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { readThread } from '../support/threads.ts'
import { field, openTicket, openWorkspace } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

browserTest('after Send the next key is for the ticket, not for a new draft', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await page.keyboard.press('r')
  await page.keyboard.type('Done.')
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('e')
  await eventually(async () => (await readThread(ben, ticket.id)).ticket.status === 'resolved')
  expect(await field(page).inputValue()).toBe('')

  await page.keyboard.press('n')
  await page.keyboard.type('Ask Dana.')
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('e')
  await eventually(async () => (await readThread(ben, ticket.id)).ticket.status === 'open')
  expect((await readThread(ben, ticket.id)).drafts).toEqual([])
})

browserTest('a pasted picture and a dropped file are refused aloud, and the text stays', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  const refusal = page.getByText("Files can't be attached yet")
  await field(page).fill('See the picture.')
  // The browser goes on to paste the text that came with the picture.
  expect(await hand(page, 'paste')).toEqual({ isPrevented: false })
  await refusal.waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await refusal.waitFor({ state: 'hidden' })
  // Else the browser would open the file instead of the page.
  expect(await hand(page, 'dragover')).toEqual({ isPrevented: true })
  expect(await hand(page, 'drop')).toEqual({ isPrevented: true })
  await refusal.waitFor()
  expect(await field(page).inputValue()).toBe('See the picture.')
})

browserTest('a reply that cannot leave says why before it is written, and who can change that', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  await bellhop.deps.database.write((tx) =>
    tx.update(tickets).set({ channel: 'email' }).where(eq(tickets.id, ticket.id)),
  )
  const line = (page: Page) => page.locator('.composer-destination')
  {
    await using window = await openTicket(bellhop, ben, ticket.id)
    const { page } = window
    expect(await line(page).textContent()).toBe("Won't be sent: email isn't connected. Open settings")
    await line(page).getByRole('link', { name: 'Open settings' }).click()
    await page.waitForURL('**/settings/email')
  }
  const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
  await using window = await openTicket(bellhop, cy, ticket.id)
  expect(await line(window.page).textContent()).toBe(
    "Won't be sent: email isn't connected. Ask an administrator to connect it.",
  )
})

/** Pastes or drops a picture on the field, with text where it was copied with some. */
function hand(page: Page, type: 'paste' | 'dragover' | 'drop'): Promise<{ isPrevented: boolean }> {
  return field(page).evaluate((element, name) => {
    const data = new DataTransfer()
    data.items.add(new File(['picture'], 'picture.png', { type: 'image/png' }))
    data.setData('text/plain', 'a picture')
    const how = { bubbles: true, cancelable: true }
    const event =
      name === 'paste'
        ? new ClipboardEvent(name, { ...how, clipboardData: data })
        : new DragEvent(name, { ...how, dataTransfer: data })
    element.dispatchEvent(event)
    return { isPrevented: event.defaultPrevented }
  }, type)
}

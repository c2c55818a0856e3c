import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { rowOf } from '../support/inbox.ts'
import { readDraft, readThread } from '../support/threads.ts'
import { field, openTicket, openTicketPage, openWorkspace } from '../support/ticket-page.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const MINUTE_MS = 60_000
/** From one key to the next. */
const KEY_MS = 20

const bellhop = await sharedBellhop()

function storedDrafts(page: Page): Promise<string[]> {
  return page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('bellhop.draft.')))
}

/** Two tickets; the older one is open and being answered when it is deleted. The agent may type on meanwhile. */
async function deleteUnderHands({ isTyping = false, isSaved = false } = {}) {
  const { ben, ticket, client } = await openWorkspace(bellhop)
  const other = await makeTicket(client, { subject: 'Another one' })
  const page = await openTicket(bellhop, ben, ticket.id, { isFirstVisit: true })
  await rowOf(page, 'Another one').waitFor()
  await page.keyboard.press('r')
  await page.keyboard.type('Hello there, ')
  if (isSaved) await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === 'Hello there, ')
  const gone = page.getByRole('alert').filter({ hasText: 'This ticket was deleted.' })
  // A pause would end the sentence, so the time of the page stands still between the keys.
  if (isTyping) await page.clock.install()
  if (isTyping) await page.clock.pauseAt(Date.now() + MINUTE_MS)
  await ben.call('DELETE', `/console/tickets/${ticket.id}`)
  while (isTyping && !(await gone.isVisible())) {
    await page.keyboard.press('x')
    await page.clock.runFor(KEY_MS)
  }
  await gone.waitFor()
  return { ben, ticket, other, page, gone }
}

browserTest(
  'what was written on a deleted ticket can be copied, and then nothing of it is left',
  async () => {
    const { page, gone } = await deleteUnderHands()
    await gone.getByText('Hello there,').waitFor()
    expect(await storedDrafts(page)).toHaveLength(1)
    await gone.getByRole('button', { name: 'Copy' }).click()
    // Markdown has no space at the end of a paragraph.
    await eventually(
      async () => (await page.evaluate(() => navigator.clipboard.readText())).trimEnd() === 'Hello there,',
    )
    await eventually(async () => (await storedDrafts(page)).length === 0)
    expect(await gone.getByText('Hello there,').isVisible()).toBe(true)
    await gone.getByRole('button', { name: 'Back to list' }).click()
    await gone.waitFor({ state: 'hidden' })
    expect(await storedDrafts(page)).toEqual([])
  },
)

browserTest('deleting a ticket also removes what the agent had begun to write there', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  await field(page).fill('Begun.')
  await eventually(async () => (await readThread(ben, ticket.id)).drafts.length === 1)
  await page.getByRole('button', { name: 'Actions for this ticket' }).click()
  await page.getByRole('menuitem', { name: 'Delete permanently…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('delete')
  await dialog.getByRole('button', { name: 'Delete ticket' }).click()
  await page.getByText('Ticket deleted').waitFor()
  expect(await storedDrafts(page)).toEqual([])
})

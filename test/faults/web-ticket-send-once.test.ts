import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import type { SignedInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests } from '../support/browser.ts'
import { addNote, readThread } from '../support/threads.ts'
import { field, openTicketPage, textIn, thread } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

/** A reply or a note that is sent under the id the page made for it. */
const SENDS = /\/(messages|notes)\/\w+$/
const WAITS = "Sends when you're online"
/** The one copy of a reply that the server took: it waits for ten seconds, which may be over on a busy machine. */
const TAKEN = /^(?:waiting|message)$/
const bellhop = await sharedBellhop()

/** The server takes what is sent, and its answer never comes back; so often. */
async function loseAnswers(page: Page, count: number): Promise<void> {
  await interceptRequests(
    page,
    SENDS,
    async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    },
    { times: count },
  )
}

/** Everything of these words that the server has, wherever it is. */
async function copiesOf(agent: SignedInAgent, ticketId: string, text: string): Promise<string[]> {
  const { timeline, waiting, drafts } = await readThread(agent, ticketId)
  return [
    ...timeline.flatMap((entry) => (entry.text === text ? [entry.kind] : [])),
    ...waiting.flatMap((reply) => (reply.text === text ? ['waiting'] : [])),
    ...drafts.flatMap((draft) => (draft.text.includes(text) ? ['draft'] : [])),
  ]
}

/** The article of a reply that the server took. */
function takenReply(page: Page) {
  return page.getByRole('article', { name: /^(?:Queued reply|Message from Ben Okafor)$/ })
}

browserTest('a reply whose answer is lost again and again is one reply', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  await loseAnswers(page, 2)
  await field(page).fill('It is attached.')
  await field(page).press('Control+Enter')
  await takenReply(page).waitFor()
  await page.getByText(WAITS).waitFor({ state: 'hidden' })
  const shown = await thread(page)
  expect(shown).toEqual([
    'customer: My invoice for February is missing.',
    expect.stringMatching(/^(?:waiting|agent): It is attached\.$/),
  ])
  expect(await textIn(page)).toBe('')
  expect((await copiesOf(ben, ticket.id, 'It is attached.')).join()).toMatch(TAKEN)
})

browserTest('a note whose answer is lost is one note', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  await loseAnswers(page, 1)
  await page.keyboard.press('n')
  await page.keyboard.type('Ask Dana.')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('article', { name: 'Internal note by Ben Okafor' }).waitFor()
  expect(await copiesOf(ben, ticket.id, 'Ask Dana.')).toEqual(['note'])
  expect(await thread(page)).toHaveLength(2)
})

browserTest(
  'Send without a connection sends when it is back, and what is written meanwhile stays',
  async () => {
    const { ben, ticket, page } = await openTicketPage(bellhop)
    const context = page.context()
    await context.setOffline(true)
    await field(page).fill('Written on the train.')
    await field(page).press('Control+Enter')
    await page.getByText(WAITS).waitFor()
    expect(await thread(page)).toContain('waiting: Written on the train.')
    await page.keyboard.press('r')
    await page.keyboard.type('The next one.')
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
    expect(await copiesOf(ben, ticket.id, 'Written on the train.')).toEqual([])
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Send now' }).waitFor()
    await eventually(async () => (await readThread(ben, ticket.id)).drafts[0]?.text === 'The next one.')
    expect((await copiesOf(ben, ticket.id, 'Written on the train.')).join()).toMatch(TAKEN)
    expect(await textIn(page)).toBe('The next one.')
  },
)

browserTest('what waits for the connection can be edited, and discarded with an Undo', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  const context = page.context()
  await context.setOffline(true)
  await field(page).fill('Too early')
  await field(page).press('Control+Enter')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await eventually(async () => (await textIn(page)) === 'Too early')
  await page.keyboard.press('End')
  await page.keyboard.type(', perhaps.')
  await page.keyboard.press('Control+Enter')
  await page.getByText(WAITS).waitFor()
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await page.getByText(WAITS).waitFor({ state: 'hidden' })
  expect(await textIn(page)).toBe('')
  await field(page).press('Control+z')
  expect(await textIn(page)).toBe('Too early, perhaps.')
  await context.setOffline(false)
  await eventually(async () => (await readThread(ben, ticket.id)).drafts[0]?.text === 'Too early, perhaps.')
  expect((await readThread(ben, ticket.id)).waiting).toEqual([])
})

browserTest(
  'a page that is closed while a reply waits has it as a draft again, and it goes once',
  async () => {
    const { ben, ticket, page } = await openTicketPage(bellhop)
    const context = page.context()
    await interceptRequests(page, SENDS, (route) => route.abort('connectionreset'))
    await field(page).fill('It is attached.')
    await field(page).press('Control+Enter')
    await page.getByText(WAITS).waitFor()
    // Chromium sends what was held back for a page that closes.
    await page.evaluate(() => {
      Object.defineProperty(globalThis, 'fetch', { value: () => Promise.reject(new TypeError('offline')) })
    })
    await field(page).pressSequentially('And more.')
    await page.close()

    const again = await context.newPage()
    await again.goto(`/inbox/open/${ticket.id}`)
    await field(again).waitFor()
    await eventually(async () => (await textIn(again)) === 'It is attached.\n\nAnd more.')
    await field(again).press('Control+Enter')
    await takenReply(again).waitFor()
    await eventually(async () =>
      TAKEN.test((await copiesOf(ben, ticket.id, 'It is attached.\n\nAnd more.')).join()),
    )
  },
)

browserTest('editing a reply that was already sent says so, and the customer gets one', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  const reads = `**/console/tickets/${ticket.id}`
  await interceptRequests(page, reads, (route) => route.abort())
  // Every answer: a retry that got one would take the Edit button away.
  await loseAnswers(page, 100)
  await field(page).fill('It is attached.')
  await field(page).press('Control+Enter')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await eventually(async () => (await textIn(page)) === 'It is attached.')
  await field(page).fill('It is attached, I hope.')
  await page.unroute(SENDS)
  await page.unroute(reads)
  // Something happens, and the thread is read again.
  await addNote(ben, ticket.id, 'A note.')
  await takenReply(page).waitFor()
  // It is read once more while the changed reply is on its way: what it shows is the earlier one.
  const isRead = Promise.withResolvers<void>()
  await interceptRequests(page, SENDS, async (route) => {
    await isRead.promise
    await route.continue()
  })
  const sent = page.waitForRequest(SENDS)
  await field(page).press('Control+Enter')
  await sent
  await addNote(ben, ticket.id, 'Another note.')
  await page.getByText('Another note.').waitFor()
  isRead.resolve()
  await page.getByText('Your earlier reply was sent after all.').waitFor()
  expect((await copiesOf(ben, ticket.id, 'It is attached.')).join()).toMatch(TAKEN)
  expect(await copiesOf(ben, ticket.id, 'It is attached, I hope.')).not.toContainEqual(
    expect.stringMatching(TAKEN),
  )
  await eventually(async () => (await textIn(page)) === 'It is attached, I hope.')
})

import { expect } from 'bun:test'
import type { SignedInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests } from '../support/browser.ts'
import { readDraft, readThread, textsOf } from '../support/threads.ts'
import { field, openTicket, openTicketPage, textIn } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

/** The replies that are sent, or wait for their ten seconds, which may be over on a busy machine. */
async function acceptedBy(agent: SignedInAgent, ticketId: string): Promise<string[]> {
  const { timeline, waiting } = await readThread(agent, ticketId)
  const sent = timeline.filter(({ role }) => role === 'agent')
  return [...sent, ...waiting.filter(({ isHeld }) => !isHeld)].map(({ text = '' }) => text)
}

browserTest('text typed in another tab appears here once no one is typing here', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  const context = page.context()
  const other = await context.newPage()
  await other.goto(`/inbox/open/${ticket.id}`)
  await field(page).focus()
  await page.keyboard.type('Hello')
  await eventually(async () => (await textIn(other)) === 'Hello')
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === 'Hello')
  await field(other).focus()
  await other.keyboard.press('End')
  // Until the first tab is not being typed in any more.
  await eventually(async () => {
    await other.keyboard.type('!')
    const [here, there] = [await textIn(page), await textIn(other)]
    return here === there && here.startsWith('Hello!')
  })
  expect(await page.getByRole('button', { name: 'Use it' }).count()).toBe(0)
})

browserTest('an agent who has sent from one device is asked before sending from another', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  const other = await openTicket(bellhop, ben, ticket.id)
  // What this device reads of the ticket waits until it has sent.
  const hasSent = Promise.withResolvers<void>()
  await interceptRequests(page, `**/console/tickets/${ticket.id}`, async (route) => {
    await hasSent.promise
    await route.continue()
  })
  await field(other).fill('Another answer.')
  await field(other).press('Control+Enter')
  await other.getByRole('article', { name: 'Queued reply' }).waitFor()
  await field(page).fill('One answer.')
  const sent = page.waitForResponse((answer) => /\/messages\/\w+$/.test(answer.url()))
  await field(page).press('Control+Enter')
  await sent
  hasSent.resolve()
  const guard = page.getByRole('article', { name: 'Held reply' })
  await guard.getByText('You replied in another tab').waitFor()
  await page.getByRole('region', { name: 'Thread' }).getByText('Another answer.').waitFor()
  expect(await acceptedBy(ben, ticket.id)).toEqual(['Another answer.'])
  await guard.getByRole('button', { name: 'Send anyway' }).click()
  await eventually(async () => (await textsOf(ben, ticket.id)).includes('One answer.'))
})

browserTest('a second reply from the same tab goes without a question', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  for (const text of ['First.', 'Second.']) {
    await field(page).fill(text)
    await field(page).press('Control+Enter')
    await page.getByRole('article', { name: 'Queued reply' }).filter({ hasText: text }).waitFor()
  }
  await eventually(async () => (await acceptedBy(ben, ticket.id)).join() === 'First.,Second.')
})

browserTest('a reply that is taken back in another tab is in the field once', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  const context = page.context()
  const other = await context.newPage()
  await other.goto(`/inbox/open/${ticket.id}`)
  await field(other).waitFor()
  await field(page).focus()
  await page.keyboard.type('Take me back')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('article', { name: 'Queued reply' }).waitFor()
  const waiting = other.getByRole('article', { name: 'Queued reply' })
  await waiting.getByRole('button', { name: 'Undo' }).click()
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply'))?.includes('Take me back'))
  for (const tab of [page, other]) {
    await eventually(async () => (await textIn(tab)).includes('Take me back'))
    expect(await textIn(tab)).toBe('Take me back')
  }
})

import { afterAll, expect } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { readDraft, readThread } from '../support/threads.ts'
import { field, openTicket, openWorkspace } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

browserTest('what is typed in another tab appears where nobody is typing any more', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page, context } = window
  const other = await context.newPage()
  await other.goto(`/inbox/open/${ticket.id}`)
  await field(page).focus()
  await page.keyboard.type('Hello')
  await eventually(async () => (await field(other).inputValue()) === 'Hello')
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === 'Hello')
  await field(other).focus()
  await other.keyboard.press('End')
  // Until the first tab is not being typed in any more.
  await eventually(async () => {
    await other.keyboard.type('!')
    const [here, there] = [await field(page).inputValue(), await field(other).inputValue()]
    return here === there && here.startsWith('Hello!')
  })
  expect(await page.getByRole('button', { name: 'Use that one' }).count()).toBe(0)
})

browserTest('an agent who has sent from one tab is asked before the other one sends too', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page, context } = window
  const other = await context.newPage()
  await other.goto(`/inbox/open/${ticket.id}`)
  await field(other).waitFor()
  await field(page).focus()
  await page.keyboard.type('One answer.')
  await field(other).fill('Another answer.')
  await field(other).press('Control+Enter')
  await other.getByRole('article', { name: 'Reply that waits' }).waitFor()
  await field(page).fill('One answer.')
  await field(page).press('Control+Enter')
  const guard = page.getByRole('alertdialog', { name: 'Somebody replied meanwhile' })
  await guard.getByText('You, on another page, replied').waitFor()
  await guard.getByText('Another answer.').waitFor()
  expect((await readThread(ben, ticket.id)).waiting.map(({ text }) => text)).toEqual(['Another answer.'])
  await guard.getByRole('button', { name: 'Send anyway' }).click()
  await eventually(async () => (await readThread(ben, ticket.id)).waiting.length === 2)
})

browserTest('a second reply from the same tab goes without a question', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  for (const text of ['First.', 'Second.']) {
    await field(page).fill(text)
    await field(page).press('Control+Enter')
    await page.getByRole('article', { name: 'Reply that waits' }).filter({ hasText: text }).waitFor()
  }
  await eventually(async () => (await readThread(ben, ticket.id)).waiting.length === 2)
})

browserTest('a reply that is taken back in another tab stands in the field once', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page, context } = window
  const other = await context.newPage()
  await other.goto(`/inbox/open/${ticket.id}`)
  await field(other).waitFor()
  await field(page).focus()
  await page.keyboard.type('Take me back')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('article', { name: 'Reply that waits' }).waitFor()
  const waiting = other.getByRole('article', { name: 'Reply that waits' })
  await waiting.getByRole('button', { name: 'Undo' }).click()
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply'))?.includes('Take me back'))
  for (const tab of [page, other]) {
    await eventually(async () => (await field(tab).inputValue()).includes('Take me back'))
    expect(await field(tab).inputValue()).toBe('Take me back')
  }
})

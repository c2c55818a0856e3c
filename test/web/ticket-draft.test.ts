import { expect } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { readDraft, readThread, sendReply } from '../support/threads.ts'
import { field, openTicket, openTicketPage, openWorkspace, textIn } from '../support/ticket-page.ts'
import { makeTicket, readTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'correct horse battery'
const MINUTE_MS = 60_000

const bellhop = await sharedBellhop()

browserTest('a draft is on the server within half a second, and comes back on another device', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const first = await openTicket(bellhop, ben, ticket.id, { isFirstVisit: true })
  await first.keyboard.press('n')
  await first.getByRole('region', { name: 'Internal note' }).waitFor()
  await first.clock.install()
  await first.clock.pauseAt(Date.now() + 10_000)
  await first.keyboard.type('Ask Dana.')
  await first.clock.runFor(500)
  await eventually(async () => (await readDraft(ben, ticket.id, 'note')) === 'Ask Dana.')
  await first.clock.resume()
  await first.reload()
  await field(first).waitFor()
  expect(await textIn(first)).toBe('Ask Dana.')

  const second = await openTicket(bellhop, ben, ticket.id)
  expect(await textIn(second)).toBe('Ask Dana.')
  await second.getByRole('region', { name: 'Internal note' }).waitFor()
  await field(second).fill('Ask Dana about the price.')
  await eventually(async () => (await readDraft(ben, ticket.id, 'note')) === 'Ask Dana about the price.')
  await first.reload()
  await eventually(async () => (await textIn(first)) === 'Ask Dana about the price.')
})

browserTest('the last typed text survives leaving the page immediately', async () => {
  const { ben, ticket, client } = await openWorkspace(bellhop)
  const other = await makeTicket(client, { subject: 'Another' })
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.keyboard.press('r')
  await page.keyboard.type('I had just begun')
  await page.goto(`/inbox/open/${other.id}`)
  await field(page).waitFor()
  expect(await textIn(page)).toBe('')
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === 'I had just begun')
  await page.goto(`/inbox/open/${ticket.id}`)
  await field(page).waitFor()
  expect(await textIn(page)).toBe('I had just begun')
})

browserTest('text typed without a connection is saved when the inbox is opened again', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  const context = page.context()
  await context.setOffline(true)
  await field(page).fill('Written on the train.')
  await page.getByText('Saved in this browser').waitFor()
  // Chromium no longer counts a closing page as offline, and would send what the page saves at that moment.
  await page.evaluate(() => {
    Object.defineProperty(globalThis, 'fetch', { value: () => Promise.reject(new TypeError('offline')) })
  })
  await page.close()
  expect((await readThread(ben, ticket.id)).drafts).toEqual([])

  await context.setOffline(false)
  const again = await context.newPage()
  await again.goto('/inbox/open')
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === 'Written on the train.')
})

browserTest(
  'a session that ends while an agent types is renewed over the page, and no word is lost',
  async () => {
    const { client, ticket } = await openWorkspace(bellhop)
    const dana = {
      name: 'Dana Reyes',
      // An address in several organizations would have to choose one.
      email: `dana.${client.orgId}@acme.example`,
      role: 'agent' as const,
      password: PASSWORD,
    }
    await createAgent(bellhop.deps, client.orgId, dana)
    const page = await openPage({ url: bellhop.url, isFirstVisit: true })
    await page.goto(`/sign-in?to=/inbox/open/${ticket.id}`)
    await page.getByLabel('Email').fill(dana.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForSelector('html[data-connection=online]')
    await field(page).click()
    // From here on, the time of the page stands still unless it is moved: pauses are what this is about.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + MINUTE_MS)
    await page.keyboard.type('A long answer, ')
    await page.evaluate(() => fetch('/console/session', { method: 'DELETE' }))
    const refused = page.waitForResponse((answer) => answer.status() === 401)
    await page.keyboard.type('and its')
    await page.clock.runFor(400)
    await refused
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    // The window waits for a pause: the rest of the sentence belongs to it.
    for (const letter of ' end, to the last word.') {
      await page.clock.runFor(50)
      await page.keyboard.type(letter)
    }
    const written = await textIn(page)
    expect(written).toBe('A long answer, and its end, to the last word.')
    expect(await dialog.count()).toBe(0)
    await page.clock.runFor(1_600)
    await dialog.waitFor()
    // Fingers do not stop at once: what they type is no password.
    await page.keyboard.type('and more')
    await page.keyboard.press('Enter')
    const password = dialog.getByLabel('Password', { exact: true })
    expect(await password.inputValue()).toBe('')
    await page.clock.runFor(1_100)
    await password.and(page.locator(':focus')).waitFor()
    await page.clock.resume()
    await password.fill(PASSWORD)
    await page.keyboard.press('Enter')
    // While it is still in the page, keys are for it.
    await dialog.waitFor({ state: 'detached' })
    expect(await textIn(page)).toBe(written)
    await field(page).press('Control+Enter')
    await page.getByRole('button', { name: 'Send now' }).click()
    await eventually(
      async () => (await readTicket(client, ticket.id)).messages.at(-1)?.text.trim() === written.trim(),
    )
  },
)

browserTest(
  'a note that was begun stays a note, and a reply a reply, whichever of them is shown',
  async () => {
    const { ben, ticket, page } = await openTicketPage(bellhop)
    await page.keyboard.press('n')
    await page.keyboard.type('She is difficult.')
    await page.keyboard.press('Escape')
    await page.keyboard.press('r')
    await page.getByRole('region', { name: 'Reply', exact: true }).waitFor()
    expect(await textIn(page)).toBe('')
    await page.getByRole('button', { name: 'Note Draft' }).waitFor()
    await page.keyboard.type('Dear Ana')
    await eventually(async () => {
      const { drafts } = await readThread(ben, ticket.id)
      return (
        drafts.map(({ kind, text }) => `${kind}: ${text}`).join() ===
        'note: She is difficult.,reply: Dear Ana'
      )
    })
    await page.getByRole('button', { name: 'Note Draft' }).click()
    expect(await textIn(page)).toBe('She is difficult.')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('article', { name: 'Internal note by Ben Okafor' }).waitFor()
    await page.getByRole('button', { name: 'Reply Draft' }).click()
    expect(await textIn(page)).toBe('Dear Ana')
    expect((await readThread(ben, ticket.id)).drafts).toMatchObject([{ kind: 'reply', text: 'Dear Ana' }])
  },
)

browserTest('a reply that is taken back does not touch the note that was begun meanwhile', async () => {
  const { page } = await openTicketPage(bellhop)
  await page.keyboard.press('r')
  await page.keyboard.type('It is attached.')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Send now' }).waitFor()
  await page.getByRole('button', { name: 'Note', exact: true }).click()
  await page.keyboard.type('She is difficult.')
  await page.getByRole('article', { name: 'Queued reply' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('region', { name: 'Reply', exact: true }).waitFor()
  expect(await textIn(page)).toBe('It is attached.')
  await page.getByRole('button', { name: 'Note Draft' }).click()
  expect(await textIn(page)).toBe('She is difficult.')
})

browserTest(
  'of two devices, the text that was typed last is kept, and the other can be restored',
  async () => {
    const { ben, ticket, page } = await openTicketPage(bellhop)
    const isSaved = (text: string) =>
      eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === text)
    const elsewhere = (text: string) =>
      ben.call('PUT', `/console/tickets/${ticket.id}/draft`, { body: { kind: 'reply', text } })
    await field(page).fill('ONE')
    await isSaved('ONE')
    await elsewhere('ONE, and TWO from the phone')
    await field(page).press('End')
    await page.keyboard.type(', typed on')
    await page.getByText('another version of this draft: ONE, and TWO from the phone').waitFor()
    await isSaved('ONE, typed on')
    const restore = page.getByRole('button', { name: 'Restore the other version' })
    await restore.click()
    expect(await textIn(page)).toBe('ONE, and TWO from the phone')
    await isSaved('ONE, and TWO from the phone')
    await restore.click()
    expect(await textIn(page)).toBe('ONE, typed on')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await restore.waitFor({ state: 'detached' })
    await isSaved('ONE, typed on')
  },
)

browserTest('text typed without a connection before another device wrote can be restored', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  const context = page.context()
  await context.setOffline(true)
  await field(page).fill('Written on the train.')
  await page.getByText('Saved in this browser').waitFor()
  const later = { kind: 'reply', text: 'Written on the phone.' }
  await ben.call('PUT', `/console/tickets/${ticket.id}/draft`, { body: later })
  await context.setOffline(false)
  await eventually(async () => (await textIn(page)) === later.text)
  await page.getByRole('button', { name: 'Restore the other version' }).click()
  expect(await textIn(page)).toBe('Written on the train.')
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === 'Written on the train.')
})

browserTest('a reply sent on one device cannot be sent again on another', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const first = await openTicket(bellhop, ben, ticket.id)
  await field(first).fill('It is attached.')
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === 'It is attached.')
  await sendReply(ben, ticket.id, { text: 'It is attached.' })
  await first.getByText('was sent or cleared in another tab').waitFor()
  expect(await textIn(first)).toBe('')
  expect(await first.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
})

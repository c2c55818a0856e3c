import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import type { ChannelKind } from '../../server/channels/kinds.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { addMessages } from '../support/add-messages.ts'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop, startBellhop } from '../support/bellhop.ts'
import { browserTest, faultsOf } from '../support/browser.ts'
import { createManualClock, letRun } from '../support/clock.ts'
import { readDraft, readThread, sendNow, sendReply, textsOf } from '../support/threads.ts'
import { field, openTicket, openTicketPage, openWorkspace, textIn, thread } from '../support/ticket-page.ts'
import { makeTicket, readTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest('a reply is in the thread at once, and Undo puts its text back into the field', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  await page.keyboard.press('r')
  await page.keyboard.type('It is attached.')
  await page.keyboard.press('Control+Enter')
  expect(await thread(page)).toContain('waiting: It is attached.')
  expect(await textIn(page)).toBe('')
  await page.getByRole('article', { name: 'Queued reply' }).waitFor()
  expect(await page.getByText('Sends in').textContent()).toMatch(/Sends in\s*\d+ s/)
  // The card has the Undo: no notice repeats it, and the next key is for the ticket.
  expect(await page.locator('.toaster-toast').count()).toBe(0)
  expect(await page.evaluate('document.activeElement.className')).toBe('ticket-pane')

  await page.keyboard.press('Control+z')
  await page.getByRole('article', { name: 'Queued reply' }).waitFor({ state: 'hidden' })
  expect(await textIn(page)).toBe('It is attached.')
  expect(await textsOf(ben, ticket.id)).toEqual(['My invoice for February is missing.'])

  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: 'Send now' }).click()
  await page.locator('.message-group[data-who=agent]').waitFor()
  await eventually(
    async () =>
      (await thread(page)).join('; ') ===
      'customer: My invoice for February is missing.; agent: It is attached.',
  )
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
})

browserTest('Undo right after Send means the reply, also before the server has answered', async () => {
  const { client, ben, ticket, page } = await openTicketPage(bellhop)
  await page.keyboard.press('p')
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'pending')
  const answer = Promise.withResolvers<void>()
  await page.route('**/v1/tickets/*/messages/*', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.keyboard.press('r')
  await page.keyboard.type('It is attached.')
  await page.keyboard.press('Control+Enter')
  await page.keyboard.press('Control+z')
  answer.resolve()
  await eventually(async () => (await textIn(page)) === 'It is attached.')
  expect((await readTicket(client, ticket.id)).status).toBe('pending')
  expect(await textsOf(ben, ticket.id)).toEqual(['My invoice for February is missing.'])
})

browserTest('Undo after a reply that the server refused means the change before it', async () => {
  const { client, ticket, page } = await openTicketPage(bellhop)
  await page.keyboard.press('p')
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'pending')
  await page.route('**/v1/tickets/*/messages/*', (route) =>
    route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'ticket_merged', detail: 'This ticket was merged.' }),
    }),
  )
  await page.keyboard.press('r')
  await page.keyboard.type('It is attached.')
  await page.keyboard.press('Control+Enter')
  await page.getByText('This ticket was merged.').waitFor()
  expect(await textIn(page)).toBe('It is attached.')
  await page.keyboard.press('Control+z')
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'open')
})

browserTest('a reply is sent after ten seconds, and the status changes with it', async () => {
  const clock = createManualClock(Date.now())
  const place = await startBellhop({ clock })
  const { ben, ticket, client, page } = await openTicketPage(place)
  await page.getByRole('button', { name: 'Other ways to send' }).waitFor()
  await field(page).fill('Done.')
  await page.getByRole('button', { name: 'Other ways to send' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Send and resolve' }).click()
  await page.getByRole('button', { name: 'Send and resolve' }).click()
  await page.getByText('then resolve').waitFor()
  await eventually(async () => (await readThread(ben, ticket.id)).waiting.length === 1)
  clock.advance(5_000)
  expect((await readThread(ben, ticket.id)).waiting).toHaveLength(1)
  // The page counts from its own clock, which runs on.
  clock.advance(15_000)
  using _ = letRun(clock)
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'resolved')
  await page.locator('.message-group[data-who=agent]').waitFor()
  await page.getByRole('button', { name: 'Status: Resolved' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Send and resolve' }).waitFor()
  await place.stop()
  faultsOf(page).length = 0
})

browserTest('send, resolve and open the next ticket, without a mouse', async () => {
  const { ben, ticket, client } = await openWorkspace(bellhop, { subject: 'First' })
  const other = await makeTicket(client, { subject: 'Second' })
  const page = await openTicket(bellhop, ben, other.id)
  await page.getByRole('option').nth(1).waitFor()
  await page.keyboard.press('r')
  await page.keyboard.type('Done.')
  await page.keyboard.press('Control+Shift+Enter')
  await page.waitForURL(`**/inbox/open/${ticket.id}`)
  await eventually(async () => (await readThread(ben, other.id)).waiting[0]?.actions?.status === 'resolved')
  await page.getByText('Sending and resolving').waitFor()
  await page.keyboard.press('Control+z')
  await page.waitForURL(`**/inbox/open/${other.id}`)
  await eventually(async () => (await textIn(page)) === 'Done.')
  await eventually(() => field(page).evaluate((element) => element === document.activeElement))
})

browserTest(
  'a colleague who was faster is shown, and the agent sends anyway, edits or discards',
  async () => {
    const { ben, ticket } = await openWorkspace(bellhop)
    const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
    const page = await openTicket(bellhop, ben, ticket.id)
    const held = page.getByRole('article', { name: 'Held reply' })
    await field(page).fill('It is attached.')
    await answerAs(cy, 'I have sent it by post.')
    await spoken(page, 'I have sent it by post.')

    await field(page).press('Control+Enter')
    await held.getByText('Cy Lindqvist replied just now').waitFor()
    await held.getByText('It is attached.').waitFor()
    // Their words are above, and only there.
    const thread = page.getByRole('region', { name: 'Thread' })
    expect(await thread.getByText('I have sent it by post.').count()).toBe(1)
    // The decision is due: Enter edits.
    await held.getByRole('button', { name: 'Edit' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await held.waitFor({ state: 'hidden' })
    await page.locator('.composer-field:focus').waitFor()
    expect(await textIn(page)).toBe('It is attached.')
    await page.keyboard.type(' By e-mail too.')
    await eventually(
      async () => (await readDraft(ben, ticket.id, 'reply')) === 'It is attached. By e-mail too.',
    )

    await answerAs(cy, 'And a copy by e-mail.')
    await spoken(page, 'And a copy by e-mail.')
    await field(page).press('Control+Enter')
    await held.getByRole('button', { name: 'Discard' }).click()
    await held.waitFor({ state: 'hidden' })
    expect(await textIn(page)).toBe('')
    await page.keyboard.press('Control+z')
    await eventually(async () => (await textIn(page)) === 'It is attached. By e-mail too.')

    await answerAs(cy, 'Third.')
    await spoken(page, 'Third.')
    await field(page).press('Control+Enter')
    await held.getByRole('button', { name: 'Send anyway' }).click()
    await eventually(async () => (await textsOf(ben, ticket.id)).includes('It is attached. By e-mail too.'))

    async function answerAs(agent: typeof cy, text: string) {
      const reply = await sendReply(agent, ticket.id, { text })
      await sendNow(agent, ticket.id, reply.id)
    }
  },
)

browserTest('a message that failed says why, and goes again', async () => {
  const { ben, ticket, place } = await openWorkspace(bellhop)
  await storedAs(ticket.id, 'email')
  const id = await addMessages(bellhop.deps, place, {
    role: 'agent',
    agentId: ben.id,
    agentName: ben.name,
    sending: 'failed',
    text: 'Here.',
  })
  const sendError = 'The mailbox of ana@example.com is full.'
  await bellhop.deps.database.write(undefined, (tx) =>
    tx.update(messages).set({ sendError }).where(eq(messages.id, id)),
  )
  const page = await openTicket(bellhop, ben, ticket.id)
  const strip = page.locator('.failed-send')
  await strip.getByText('Not sent').waitFor()
  await strip.getByText(sendError).waitFor()
  await strip.getByRole('button', { name: 'Copy text' }).click()
  await eventually(async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'Here.')
  await strip.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('No mailbox is connected.').last().waitFor()
  const link = strip.getByRole('link', { name: 'Open settings' })
  expect(await link.getAttribute('href')).toBe('/settings/email')
  expect((await readThread(ben, ticket.id)).timeline.at(-1)?.sending).toBe('failed')
})

browserTest('a note turns the composer amber and stays between agents', async () => {
  const { ticket, client, page } = await openTicketPage(bellhop)
  await page.keyboard.press('n')
  await page.getByRole('region', { name: 'Internal note' }).waitFor()
  await page.getByText('Only your team sees it').waitFor()
  await page.keyboard.type('She is on the old tariff.')
  await page.locator('.composer-add-note').click()
  await page.getByRole('article', { name: 'Internal note by Ben Okafor' }).waitFor()
  expect(await thread(page)).toContain('note: She is on the old tariff.')
  expect(JSON.stringify(await readTicket(client, ticket.id))).not.toContain('old tariff')
})

browserTest('a saved reply is found by typing and filled in', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const text = 'Hello {{customer.firstName}}, about “{{ticket.subject}}”: {{agent.name}}'
  await ben.call('POST', '/console/saved-replies', { body: { name: 'Greeting', text } })
  await ben.call('POST', '/console/saved-replies', { body: { name: 'Refund', text: 'Money back.' } })
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.keyboard.press('r')
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Saved replies' }).waitFor()
  // What tells it from the others: the greeting is left out, and the variables are filled in.
  await page.getByRole('option', { name: 'about “Missing invoice”: Ben Okafor' }).waitFor()
  await page.keyboard.type('gree')
  await page.keyboard.press('Enter')
  await eventually(async () => (await textIn(page)) !== '')
  expect(await textIn(page)).toBe('Hello Ana, about “Missing invoice”: Ben Okafor')
  await field(page).press('Control+a')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Saved replies' }).waitFor()
  // Without a pause: the very next key is meant for the text.
  await Promise.all([page.keyboard.press('Enter'), page.keyboard.press('e'), page.keyboard.press('!')])
  await eventually(async () => (await textIn(page)).endsWith('Ben Okafore!'))
  await page.keyboard.press('Enter')
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Saved replies' }).waitFor()
  await page.keyboard.press('Escape')
  await eventually(async () => (await textIn(page)).endsWith('\n/'))
})

browserTest('what a saved reply cannot fill in is shown before it is sent', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const text = 'Hello {{ customer.name }}, your {{parcel.number}} is on its way.'
  await ben.call('POST', '/console/saved-replies', { body: { name: 'On its way', text } })
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.keyboard.press('r')
  await page.keyboard.press('/')
  await page.getByRole('option', { name: /is on its way/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Unknown variable: {{parcel.number}}.').waitFor()
  expect(await textIn(page)).toEndWith(', your {{parcel.number}} is on its way.')
})

/** Waits until the thread shows it. */
async function spoken(page: Page, text: string): Promise<void> {
  await page.getByRole('region', { name: 'Thread' }).getByText(text).waitFor()
}

/** The API makes tickets of its own channel only. */
async function storedAs(ticketId: string, channel: ChannelKind): Promise<void> {
  await bellhop.deps.database.write(undefined, (tx) =>
    tx.update(tickets).set({ channel }).where(eq(tickets.id, ticketId)),
  )
}

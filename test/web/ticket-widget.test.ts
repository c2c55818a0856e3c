import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { pauseMailbox } from '../../server/channels/email/mailboxes/mailbox-state.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { pauseWidget } from '../../server/channels/widget/widgets/widget-state.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { recordEvents } from '../../server/events/events.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests } from '../support/browser.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { addNote } from '../support/threads.ts'
import { openTicket, openWorkspace, textIn } from '../support/ticket-page.ts'
import { ORIGIN, openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()
const { deps } = bellhop

const threadOf = (page: Page) => page.getByRole('region', { name: 'Thread' })

browserTest(
  'a conversation of the widget shows who writes, what they have seen and that they type',
  async () => {
    const { ben } = await openWorkspace(bellhop)
    const { orgId } = ben
    const mailbox = await createMailbox(deps, orgId, newMailbox())
    // So that nothing connects.
    await pauseMailbox(deps, orgId, mailbox.id)
    const widget = await openWidget(bellhop, orgId, {
      questions: {
        name: 'optional',
        email: 'optional',
        fields: [{ key: 'order', label: 'Order number', isRequired: false }],
      },
    })
    const visitor = await widget.visit({
      page: { url: `${ORIGIN}/pricing?plan=team`, title: 'Plans and pricing' },
      language: 'pt-PT',
      timeZone: 'Europe/Lisbon',
    })
    const given = { name: 'Ana', email: 'ana@example.com', fields: { order: 'PB-7' } }
    const { id } = (await visitor.write('Which plan is right for us?', { body: given })).json.conversation
    const answer = async (text: string) =>
      (await ben.call<{ id: string }>('POST', `/v1/tickets/${id}/messages`, { body: { text } })).json.id
    const first = await answer('How many are you?')

    const page = await openTicket(bellhop, ben, id)
    const panel = page.getByRole('complementary', { name: 'Customer' })
    await panel.getByText('Not verified', { exact: true }).waitFor()
    const facts = (await panel.locator('.visitor-section-facts > *').allTextContents()).join(' ')
    expect(facts).toContain('Name Ana not verified Email ana@example.com not verified')
    expect(facts).toContain('Page Plans and pricing Last seen just now')
    const stream = await visitor.stream()
    await page.reload()
    await panel.getByText('Online now').waitFor()
    await stream.close()
    expect(facts).toMatch(/Time zone Europe\/Lisbon IP address \S+ Order number PB-7 Widget Shop$/)
    // What they typed is offered as the customer's address.
    await panel.getByRole('button', { name: 'Use this address…' }).click()
    expect(await panel.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('ana@example.com')
    await page.keyboard.press('Escape')
    await threadOf(page).getByText('not verified', { exact: true }).first().waitFor()
    await page.locator('.ticket-header').getByText('not verified', { exact: true }).waitFor()
    const link = panel.getByRole('link', { name: 'Plans and pricing' })
    expect(await link.getAttribute('href')).toBe(`${ORIGIN}/pricing?plan=team`)
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
    await page
      .getByText(
        "Goes to the website chat. Emailed to ana@example.com (not verified) if it isn't read within 10 minutes.",
      )
      .waitFor()

    // What the visitor does appears without a reload: another page within three seconds.
    const checkout = { url: `${ORIGIN}/checkout`, title: 'Checkout' }
    await visitor.call('PATCH', '/visitor', { body: { page: checkout } })
    await panel.getByRole('link', { name: 'Checkout' }).waitFor({ timeout: 3_000 })
    const row = page.locator(`#row-${id}`)
    if (await row.isVisible()) {
      await row.getByText('/checkout', { exact: true }).waitFor()
      await row.getByText('not verified', { exact: true }).waitFor()
    }
    await threadOf(page).getByText('Sent', { exact: true }).waitFor()
    await visitor.call('POST', `/conversations/${id}/seen`, { body: { messageId: first } })
    await threadOf(page).getByText('Seen', { exact: true }).waitFor()
    const type = (isTyping: boolean) =>
      visitor.call('POST', `/conversations/${id}/typing`, { body: { isTyping } })
    await type(true)
    await threadOf(page).getByRole('status').getByText('Ana is typing…').waitFor()
    await type(false)
    await threadOf(page).getByText('Ana is typing…').waitFor({ state: 'detached' })

    const second = await answer('We can also call you.')
    await recordEmailed(orgId, { ticketId: id, messageId: second })
    await threadOf(page).getByText('Also sent by email').waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

    // Only the newest answer that they saw says so, and earlier ones no longer say that they were only sent.
    await addNote(ben, id, 'Ana wants a call.')
    const third = await answer('When suits you?')
    await visitor.call('POST', `/conversations/${id}/seen`, { body: { messageId: third } })
    const newest = threadOf(page).locator('.message-group-item').filter({ hasText: 'When suits you?' })
    await newest.getByText('Seen', { exact: true }).waitFor()
    expect(await threadOf(page).locator('.message-status').allTextContents()).toEqual([
      'Also sent by email',
      'Seen',
    ])

    await page.getByRole('button', { name: 'Actions for this ticket' }).click()
    await page.getByRole('menuitem', { name: 'Block visitor…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Block visitor' })
    await dialog.getByLabel('Block this visitor').check()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    // A read that began before the change is answered after it, and further reads wait.
    const reads = await holdReads(page, id)
    await addNote(ben, id, 'They insult us.')
    await reads.began
    await dialog.getByRole('button', { name: 'Save' }).click()
    await panel.getByText('Blocked', { exact: true }).waitFor()
    await reads.answerFirst()
    expect((await visitor.write('Hello?')).json).toMatchObject({ code: 'visitor_blocked' })
    await page.getByRole('button', { name: 'Actions for this ticket' }).click()
    await page.getByRole('menuitem', { name: 'Block visitor…' }).click()
    expect(await dialog.getByLabel('Block this visitor').isChecked()).toBe(true)
    reads.answerAll()
    await dialog.getByLabel('Block this visitor').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    // While the dialog is open, roles behind it are hidden.
    await dialog.waitFor({ state: 'detached' })
    await panel.getByText('Blocked', { exact: true }).waitFor({ state: 'detached' })
    expect((await visitor.write('Hello?')).status).toBe(201)

    await pauseWidget(deps, orgId, widget.id)
    await page.reload()
    await page.getByText("Won't be sent: The website widget is not connected.").waitFor()
  },
)

/** Keeps answers about the visitor of a ticket from the page. The first is as the server had it when it was asked. */
async function holdReads(page: Page, ticketId: string) {
  const began = Promise.withResolvers<void>()
  const first = Promise.withResolvers<void>()
  const others = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let count = 0
  await interceptRequests(page, `**/console/tickets/${ticketId}/visitor`, async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    count += 1
    if (count > 1) {
      await others.promise
      return route.continue()
    }
    const response = await route.fetch()
    began.resolve()
    await first.promise
    await route.fulfill({ response })
    answered.resolve()
  })
  return {
    began: began.promise,
    async answerFirst() {
      first.resolve()
      await answered.promise
    },
    answerAll: others.resolve,
  }
}

/** As it is after the email with an answer has left: test/widget/unread-emails.test.ts sends it. */
async function recordEmailed(
  orgId: string,
  { ticketId, messageId }: { ticketId: string; messageId: string },
): Promise<void> {
  const from = { name: 'Support', address: 'support@acme.example' }
  const to = [{ name: 'Ana', address: 'ana@example.com' }]
  const email = { from, replyTo: [], to, cc: [], subject: 'x', messageId: null, references: [] }
  await deps.database.write(undefined, async (tx) => {
    await tx.update(messages).set({ email, sending: 'sent' }).where(eq(messages.id, messageId))
    const createdAt = deps.clock.now()
    recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId, createdAt }])
  })
}

browserTest('a chat reply that put the ticket away is taken back, and the ticket is as it was', async () => {
  const { ben } = await openWorkspace(bellhop)
  const widget = await openWidget(bellhop, ben.orgId)
  const visitor = await widget.visit()
  const { id } = (await visitor.say('Where is my parcel?')).conversation
  const ticket = async () =>
    (await ben.call<{ snoozedUntil?: string }>('GET', `/v1/tickets/${id}`)).json.snoozedUntil
  const page = await openTicket(bellhop, ben, id)
  const sendAndSnooze = async (text: string) => {
    await page.keyboard.press('r')
    await page.keyboard.type(text)
    await page.getByRole('button', { name: 'Other ways to send' }).click()
    await page.getByRole('menuitem', { name: 'Send and snooze…' }).click()
    await page
      .getByRole('dialog', { name: 'Send and snooze' })
      .getByRole('combobox', { name: 'Time' })
      .waitFor()
    await page.keyboard.type('tomorrow 9:00')
    await page.keyboard.press('Enter')
    await eventually(async () => (await ticket()) !== undefined)
  }
  await sendAndSnooze('We ask the carrier.')
  await page.keyboard.press('Control+z')
  await eventually(async () => (await ticket()) === undefined)
  await eventually(async () => (await textIn(page)) === 'We ask the carrier.')
})

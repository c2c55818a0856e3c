import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { storedEvents } from '../support/subscription.ts'
import { readThread, type ThreadJson } from '../support/threads.ts'
import { openTicket, openWorkspace, writtenIn } from '../support/ticket-page.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

const dialog = (page: Page) => page.getByRole('dialog', { name: 'New ticket' })

const notice = (page: Page) =>
  page.getByRole('region', { name: 'Notifications' }).filter({ hasText: 'To maria@silva.test' })

async function openInbox() {
  const client = await bellhop.organization()
  const ben = await signInAgent(bellhop, client.orgId, { name: 'Ben Okafor', role: 'admin' })
  const page = await openPage({ url: bellhop.url, agent: ben })
  await page.goto('/inbox/open')
  await page.getByRole('button', { name: 'New ticket' }).waitFor()
  return { client, ben, page }
}

function newestThread(page: Page, ben: Parameters<typeof readThread>[0]): Promise<ThreadJson> {
  return readThread(ben, new URL(page.url()).pathname.split('/').at(-1) ?? '')
}

browserTest('`c` writes to any address: the ticket opens, with its message and its assignee', async () => {
  const { client, ben, page } = await openInbox()
  await openLedger(bellhop, client.orgId, 'support@acme.example')
  const { mailboxId } = await openLedger(bellhop, client.orgId, 'billing@acme.example')
  await makeTicket(client, { customer: { name: 'Maria Silva', email: 'maria@silva.test' } })
  await eventually(async () => {
    const found = await ben.call<{ data: unknown[] }>('GET', '/console/tickets?q=from:maria')
    return found.json.data.length > 0
  })
  await ben.call('POST', '/console/saved-replies', {
    body: { name: 'Greeting', text: 'Hi {{customer.firstName}},' },
  })
  await page.keyboard.press('c')
  const to = dialog(page).getByRole('combobox', { name: 'To' })
  await to.waitFor()
  const alert = dialog(page).getByRole('alert')
  await dialog(page).getByRole('textbox', { name: 'Message' }).focus()
  await page.keyboard.press('Control+Enter')
  await alert.getByText('Add at least one recipient.').waitFor()
  await to.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('mar')
  // The first suggestion is highlighted: Enter takes it.
  await page.getByRole('option', { name: /Maria Silva/, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('jörg@büro.test,')
  await page.keyboard.press('Backspace')
  expect(await dialog(page).getByRole('listitem').allTextContents()).toEqual(['Maria Silva'])
  expect(await alert.count()).toBe(0)
  await page.getByRole('button', { name: 'Cc', exact: true }).click()
  await page.keyboard.type('"Dana Lee" <dana@lee.test>; nobody')
  await dialog(page).getByRole('textbox', { name: 'Subject' }).fill('Your order 1001')
  await dialog(page).getByText('“nobody” is not an email address.').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await dialog(page).getByRole('combobox', { name: 'Cc' }).fill('')
  await dialog(page).getByRole('textbox', { name: 'Message' }).focus()
  await page.keyboard.type('/')
  await page.getByRole('option', { name: 'Greeting' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('\nit has ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('shipped')
  await page.keyboard.press('Control+b')

  // What was written is still there after Escape and a reload.
  await page.keyboard.press('Escape')
  await page.getByText('Draft saved in this browser').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'New ticket' }).click()
  const text = dialog(page)
    .getByRole('textbox', { name: 'Message' })
    .and(page.locator('[contenteditable=true]'))
  expect(await writtenIn(text)).toBe('Hi Maria,\n\nit has shipped')
  expect(await text.locator('strong').textContent()).toBe('shipped')
  await dialog(page).getByRole('button', { name: 'From' }).click()
  await page.getByRole('option', { name: /billing@acme.example/ }).click()
  await dialog(page).getByRole('button', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Pending' }).click()
  await dialog(page).getByRole('combobox', { name: 'Cc' }).fill('support@acme.example')
  await page.keyboard.press('Control+Enter')
  await alert.getByText('support@acme.example is one of your own addresses.', { exact: true }).waitFor()
  await page.keyboard.press('Backspace')
  await text.focus()
  await page.keyboard.press('Control+Enter')
  await dialog(page).waitFor({ state: 'detached' })
  await notice(page).getByRole('button', { name: 'Send now' }).click()
  await page.getByRole('article', { name: 'Message from Ben Okafor' }).waitFor()
  const { ticket, timeline, reply } = await newestThread(page, ben)
  expect(ticket).toMatchObject({
    subject: 'Your order 1001',
    status: 'pending',
    assignedTo: ben.id,
    customer: { name: 'Maria Silva', email: 'maria@silva.test' },
  })
  expect(timeline[0]).toMatchObject({
    text: 'Hi Maria,\n\nit has **shipped**',
    email: { cc: [{ name: 'Dana Lee', address: 'dana@lee.test' }] },
  })
  expect(reply.mailbox?.id).toBe(mailboxId)

  await page.keyboard.press('c')
  expect(await writtenIn(dialog(page).getByRole('textbox', { name: 'Message' }))).toBe('')
})

browserTest(
  'a new ticket can be undone on every page, and then everything is in the dialog again',
  async () => {
    const { client, ben, page } = await openInbox()
    await openLedger(bellhop, client.orgId, 'support@acme.example')
    const write = async (subject: string) => {
      await dialog(page).getByRole('combobox', { name: 'To' }).fill('maria@silva.test,')
      await dialog(page).getByRole('textbox', { name: 'Subject' }).fill(subject)
      await dialog(page).getByRole('textbox', { name: 'Message' }).fill('It has shipped')
    }
    const send = async () => {
      await page.keyboard.press('Control+Enter')
      await dialog(page).waitFor({ state: 'detached' })
    }
    const stored = () => storedEvents(bellhop.deps, client.orgId)
    const before = (await stored()).length
    await page.keyboard.press('c')
    await write('Your order')
    const files = dialog(page).locator('input[type=file]')
    await files.setInputFiles({ name: 'order.txt', mimeType: 'text/plain', buffer: Buffer.from('Order') })
    await dialog(page).getByText('order.txt').waitFor()
    await send()
    await notice(page).waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    // Nothing of it is in the inbox, and it is there after a reload and on other pages.
    expect((await stored()).length).toBe(before)
    expect((await ben.call<{ data: unknown[] }>('GET', '/console/tickets')).json.data).toEqual([])
    await page.goto('/settings/account')
    await notice(page).getByRole('button', { name: 'Undo' }).click()
    await dialog(page).getByText('order.txt').waitFor()
    expect(await dialog(page).getByRole('listitem').allTextContents()).toContain('maria@silva.test')
    expect(await dialog(page).getByRole('textbox', { name: 'Subject' }).inputValue()).toBe('Your order')
    expect(await writtenIn(dialog(page).getByRole('textbox', { name: 'Message' }))).toBe('It has shipped')
    expect((await ben.call<{ data: unknown[] }>('GET', '/console/new-tickets')).json.data).toEqual([])

    // Without a connection it is sent later.
    await page.context().setOffline(true)
    await send()
    await notice(page).getByText("sends when you're online").waitFor()
    await page.context().setOffline(false)
    await notice(page).getByRole('button', { name: 'Send now' }).click()
    await page.getByRole('article', { name: 'Message from Ben Okafor' }).getByText('order.txt').waitFor()
    expect(await newestThread(page, ben)).toMatchObject({ ticket: { subject: 'Your order' } })
  },
)

browserTest('without a mailbox, a new ticket says what to connect first, and offers a sample', async () => {
  const { page } = await openInbox()
  await page.keyboard.press('Control+k')
  await page.locator('[role=combobox]:focus').waitFor()
  await page.keyboard.type('new tick')
  await page.getByRole('option', { name: /New ticket/ }).waitFor()
  await page.keyboard.press('Enter')
  await dialog(page).getByText('Connect a mailbox first').waitFor()
  expect(await dialog(page).getByRole('textbox').count()).toBe(0)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await dialog(page).getByRole('button', { name: 'Create a sample ticket' }).click()
  await dialog(page).waitFor({ state: 'detached' })
  await page.getByRole('article', { name: 'Ticket' }).getByText('I ordered a lamp last week').waitFor()
  await page.keyboard.press('c')
  await dialog(page).getByRole('button', { name: 'Connect a mailbox' }).click()
  await page.waitForURL('**/settings/email')
})

browserTest('a message is forwarded to someone outside, with a comment', async () => {
  const workspace = await openWorkspace(bellhop, { message: 'The parcel is **broken**.' })
  const { ben, ticket } = workspace
  await openLedger(bellhop, workspace.client.orgId, 'help@acme.example')
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.getByRole('article', { name: /Message from Ana/ }).hover()
  await page.getByRole('button', { name: 'Actions for this message' }).click()
  await page.getByRole('menuitem', { name: 'Forward…' }).click()
  const form = page.getByRole('dialog', { name: 'Forward message' })
  await form.getByText('The parcel is **broken**.').waitFor()
  await form.getByRole('button', { name: 'Forward' }).click()
  await form.getByText('Add at least one recipient.').waitFor()
  await form.getByRole('combobox', { name: 'To' }).fill('carrier@parcels.test')
  await form.getByRole('textbox', { name: 'Comment' }).fill('Can you check?')
  expect(await form.getByRole('alert').count()).toBe(0)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.keyboard.press('Control+Enter')
  await form.waitFor({ state: 'detached' })
  const sent = page.getByRole('article', { name: 'Message from Ben Okafor' })
  await sent.getByText('Forwarded to carrier@parcels.test').waitFor()
  await sent.getByText('Can you check?').waitFor()
  expect(await sent.getByText('The parcel is **broken**.').count()).toBe(0)
  await sent.getByRole('button', { name: 'Forwarded message', expanded: false }).click()
  await sent.getByText('The parcel is **broken**.').waitFor()
  const { timeline } = await readThread(ben, ticket.id)
  expect(timeline.at(-1)).toMatchObject({
    text: 'Can you check?',
    email: { to: [{ name: '', address: 'carrier@parcels.test' }] },
  })
})

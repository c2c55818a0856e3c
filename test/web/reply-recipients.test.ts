import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { readThread } from '../support/threads.ts'
import { field, openTicket, openWorkspace, textIn } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

/** A mail from Ana to us, with a copy to Cy. */
async function openMail() {
  const workspace = await openWorkspace(bellhop)
  const { client } = workspace
  const ledger = await openLedger(bellhop, client.orgId, 'support@acme.example')
  const id = crypto.randomUUID()
  const receive = (from: string, ...headers: string[]) =>
    ledger.fetched(
      [
        `From: ${from}`,
        'To: Support <support@acme.example>',
        'Subject: Missing invoice',
        ...headers,
        '',
        'Where is it?',
      ].join('\r\n'),
    )
  const mail = await receive(
    'Ana Pires <ana@customer.test>',
    'Cc: Cy Ortega <cy@customer.test>',
    `Message-ID: <${id}@customer.test>`,
  )
  return {
    ...workspace,
    ticketId: mail.ticketId ?? '',
    receive,
    reply: (from: string, ...headers: string[]) =>
      receive(from, `In-Reply-To: <${id}@customer.test>`, `Message-ID: <re.${id}@customer.test>`, ...headers),
  }
}

async function newestMessage(ben: Parameters<typeof readThread>[0], ticketId: string) {
  return (await readThread(ben, ticketId)).timeline.findLast(({ kind }) => kind === 'message')
}

const line = (page: Page) => page.locator('.destination-recipients')
const lineSays = (page: Page, text: string) => line(page).filter({ hasText: text }).waitFor()
const chips = (page: Page, label: string) =>
  page.locator('.reply-recipients').getByRole('list', { name: label }).getByRole('listitem')

browserTest('a reply goes to the writer and the others on the mail; both can be changed', async () => {
  const { ben, ticketId } = await openMail()
  const page = await openTicket(bellhop, ben, ticketId)
  await lineSays(page, 'to Ana Pires, cc Cy Ortega · from support@acme.example')
  await line(page).click()
  await page.getByRole('combobox', { name: 'To' }).and(page.locator(':focus')).waitFor()
  await eventually(async () => (await chips(page, 'To').allTextContents()).join() === 'Ana Pires')
  await page.keyboard.type('dana@elsewhere.test;')
  await page.getByRole('combobox', { name: 'Cc' }).focus()
  await page.keyboard.press('Backspace')
  await page.keyboard.type('nobody')
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await field(page).fill('It is attached.')
  await page.getByText('“nobody” is not an email address.').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByText('Finish or remove the address you started.').waitFor()
  await page.getByRole('combobox', { name: 'Cc' }).fill('')

  // The draft keeps them, on every device.
  await eventually(async () => {
    const [draft] = (await readThread(ben, ticketId)).drafts
    return draft?.text === 'It is attached.' && draft.recipients?.to.length === 2
  })
  await page.reload()
  await field(page).waitFor()
  await lineSays(page, 'to Ana Pires, dana@elsewhere.test')
  await line(page).click()
  await eventually(async () => (await chips(page, 'To').count()) === 2)
  await page.getByRole('combobox', { name: 'To' }).focus()
  await page.keyboard.press('Control+Enter')
  const waiting = page.getByRole('article', { name: 'Queued reply' })
  await waiting.getByText('to Ana Pires, dana@elsewhere.test').waitFor()
  await waiting.getByRole('button', { name: 'Undo' }).click()
  await eventually(async () => (await textIn(page)) === 'It is attached.')
  await lineSays(page, 'to Ana Pires, dana@elsewhere.test')
  await line(page).click()
  await page.getByRole('button', { name: 'Use suggested recipients' }).click()
  await lineSays(page, 'to Ana Pires, cc Cy Ortega')
  await field(page).focus()
  await page.keyboard.press('Control+Enter')
  await waiting.getByRole('button', { name: 'Send now' }).click()
  await page.getByRole('article', { name: 'Message from Ben Okafor' }).waitFor()
  expect(await newestMessage(ben, ticketId)).toMatchObject({
    email: {
      to: [{ name: 'Ana Pires', address: 'ana@customer.test' }],
      cc: [{ name: 'Cy Ortega', address: 'cy@customer.test' }],
    },
  })
})

browserTest('the command menu opens the recipients, and makes a ticket from the last message', async () => {
  const { ben, ticketId, reply } = await openMail()
  await reply('Ana Pires <ana@customer.test>')
  const page = await openTicket(bellhop, ben, ticketId)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('bcc')
  await page.keyboard.press('Enter')
  await page.getByLabel('To', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('new ticket from')
  await page.keyboard.press('Enter')
  const subject = page.getByRole('dialog', { name: 'New ticket from this message' }).getByLabel('Subject')
  expect(await subject.inputValue()).toBe('Missing invoice')
})

browserTest(
  'someone else writes: the next reply goes to them and the customer, but not the one that is on its way',
  async () => {
    const { ben, ticketId, reply } = await openMail()
    const page = await openTicket(bellhop, ben, ticketId)
    await field(page).fill('It is attached.')
    await page.keyboard.press('Control+Enter')
    const waiting = page.getByRole('article', { name: 'Queued reply' })
    await waiting.waitFor()
    await reply('Cy Ortega <cy@customer.test>')
    await page.getByRole('article', { name: 'Message from Cy Ortega' }).waitFor()
    await lineSays(page, 'to Cy Ortega, Ana Pires')
    await page.getByRole('textbox', { name: 'Reply to Cy Ortega', exact: true }).waitFor()
    await waiting.getByRole('button', { name: 'Send now' }).click()
    await page.getByRole('article', { name: 'Message from Ben Okafor' }).waitFor()
    expect((await newestMessage(ben, ticketId))?.email?.to).toEqual([
      { name: 'Ana Pires', address: 'ana@customer.test' },
    ])
  },
)

browserTest(
  'a reply address that isn’t the customer’s is a warning beside the recipients, and one click makes it the customer',
  async () => {
    const { ben, ticketId, reply } = await openMail()
    const page = await openTicket(bellhop, ben, ticketId)
    const warning = page.getByText(
      "the last email asks for answers at ana@elsewhere.test, not at the customer's address ana@customer.test.",
    )
    await lineSays(page, 'to Ana Pires, cc Cy Ortega')
    expect(await warning.count()).toBe(0)
    await reply('Ana Pires <ana@customer.test>', 'Reply-To: Ana P. <ana@elsewhere.test>')
    await lineSays(page, 'to Ana P., Ana Pires')
    await warning.waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    // Without that recipient there is nothing to warn of.
    await line(page).click()
    await page.getByRole('button', { name: 'Remove ana@elsewhere.test' }).click()
    await warning.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Use suggested recipients' }).click()
    await warning.waitFor()
    await page.getByRole('button', { name: 'Make Ana P. the customer' }).first().click()
    await warning.waitFor({ state: 'detached' })
  },
)

browserTest(
  'a ticket that two mailboxes received names both, and is answered from the one that is chosen',
  async () => {
    const client = await bellhop.organization('Two mailboxes')
    const agent = await signInAgent(bellhop, client.orgId)
    const support = await openLedger(bellhop, client.orgId, 'support@two.example')
    const sales = await openLedger(bellhop, client.orgId, 'sales@two.example')
    const raw =
      'From: Ana <ana@customer.test>\r\nTo: support@two.example, sales@two.example\r\nSubject: Both\r\nMessage-ID: <both@customer.test>\r\n\r\nHello'
    const { ticketId } = await support.fetched(raw)
    expect(await sales.fetched(raw)).toMatchObject({ outcome: 'duplicate', ticketId })
    const page = await openPage({ url: bellhop.url, agent })
    await page.goto(`/inbox/open/${ticketId}`)
    const panel = page.getByRole('complementary', { name: 'Customer' })
    await panel.getByText('support@two.example').waitFor()
    await panel.getByText('sales@two.example').waitFor()
    await page.getByRole('button', { name: /from support@two\.example/ }).click()
    await page.getByRole('button', { name: /^From/ }).click()
    await page.getByRole('option', { name: 'sales@two.example' }).click()
    await page.getByRole('button', { name: /from sales@two\.example/ }).waitFor()
    await page.getByText('changed the reply address to sales@two.example').waitFor()
  },
)

browserTest('a reply has a blind copy, which agents see', async () => {
  const { ben, ticketId } = await openMail()
  const page = await openTicket(bellhop, ben, ticketId)
  await line(page).click()
  await page.getByRole('button', { name: 'Bcc' }).click()
  await page.getByRole('combobox', { name: 'Bcc' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('boss@acme-legal.test,')
  await lineSays(page, 'to Ana Pires, cc Cy Ortega, bcc boss@acme-legal.test')
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await field(page).fill('It is attached.')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Send now' }).click()
  await page.locator('.message-recipients-line').filter({ hasText: 'bcc boss@acme-legal.test' }).waitFor()
  const sent = await newestMessage(ben, ticketId)
  expect(sent?.email?.bcc).toEqual([{ name: '', address: 'boss@acme-legal.test' }])
})

browserTest(
  'a customer is merged while an agent writes to them: the reply goes to the one who stays',
  async () => {
    const { client, ben, ticketId } = await openMail()
    const nora = await signInAgent(bellhop, client.orgId, { name: 'Nora Lind' })
    const stays = await nora.call<{ id: string }>('POST', '/console/customers', {
      body: { name: 'Ana Maria Pires', emails: ['ana.maria@work.test'] },
    })
    const page = await openTicket(bellhop, ben, ticketId)
    await lineSays(page, 'to Ana Pires, cc Cy Ortega')
    await field(page).fill('It is attached.')
    const { json } = await client.call<{ customer: { userId: string } }>('GET', `/tickets/${ticketId}`)
    const merged = await nora.call('POST', `/console/customers/${stays.json.id}/merge`, {
      body: { from: json.customer.userId },
    })
    expect(merged.status, merged.text).toBe(200)
    const panel = page.getByRole('complementary', { name: 'Customer' })
    await panel.getByText('Ana Maria Pires').first().waitFor()
    await panel.getByText('ana@customer.test').first().waitFor()
    // They have both addresses now, and the answer goes to the one they wrote from.
    await lineSays(page, 'to Ana Pires, cc Cy Ortega')
    expect(await textIn(page)).toBe('It is attached.')
    await field(page).press('Control+Enter')
    const waiting = page.getByRole('article', { name: 'Queued reply' })
    await waiting.getByText('to Ana Pires, cc Cy Ortega').waitFor()
    await waiting.getByRole('button', { name: 'Send now' }).click()
    await page.getByRole('article', { name: 'Message from Ben Okafor' }).waitFor()
    expect((await newestMessage(ben, ticketId))?.email?.to).toMatchObject([{ address: 'ana@customer.test' }])
    expect(await client.call('GET', `/tickets/${ticketId}`)).toMatchObject({
      json: { customer: { userId: stays.json.id } },
    })
  },
)

browserTest(
  'a ticket is merged while a reply waits: it goes to whom it was written, and can be undone there',
  async () => {
    const { client, ben, ticketId, receive } = await openMail()
    const nora = await signInAgent(bellhop, client.orgId, { name: 'Nora Lind' })
    const into =
      (await receive('Zoe Quimby <zoe@quimby.test>', 'Message-ID: <zoe@quimby.test>')).ticketId ?? ''
    const page = await openTicket(bellhop, ben, ticketId)
    await lineSays(page, 'to Ana Pires, cc Cy Ortega')
    await field(page).fill('It is attached.')
    await page.keyboard.press('Control+Enter')
    const waiting = page.getByRole('article', { name: 'Queued reply' })
    await waiting.waitFor()
    const merged = await nora.call('POST', `/console/tickets/${into}/merge`, { body: { from: ticketId } })
    expect(merged.status, merged.text).toBe(200)
    await page.waitForURL(`**/${into}`)
    await waiting.getByText('to Ana Pires, cc Cy Ortega').waitFor()
    await page.keyboard.press('Control+z')
    await eventually(async () => (await textIn(page)) === 'It is attached.')
    await lineSays(page, 'to Ana Pires, cc Cy Ortega')
    await field(page).press('Control+Enter')
    await waiting.getByText('to Ana Pires, cc Cy Ortega').waitFor()
    await waiting.getByRole('button', { name: 'Send now' }).click()
    await page.getByRole('article', { name: 'Message from Ben Okafor' }).waitFor()
    expect((await newestMessage(ben, into))?.email).toMatchObject({
      to: [{ address: 'ana@customer.test' }],
      cc: [{ address: 'cy@customer.test' }],
    })
  },
)

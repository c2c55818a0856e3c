import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { storeBot } from '../support/stored-bot.ts'

const PAGES = [
  'start',
  'organization',
  'agents',
  'saved-replies',
  'saved-replies/new',
  'tags',
  'audit',
  'backups',
  'doctor',
  'widget',
  'email',
  'email/new',
  'mails',
  'telegram',
  'keys',
  'endpoints',
  'deliveries',
  'nothing',
  'account',
]

/** A page, the button that opens the dialog, and its title. */
const DIALOGS = [
  ['keys', 'New key', 'New API key'],
  ['endpoints', 'New endpoint', 'New endpoint'],
  ['agents', 'Invite agent', 'Invite agent'],
  ['widget', 'Add widget', 'New widget'],
  ['telegram', 'Add bot', 'New bot'],
  ['email', 'Set up Microsoft', 'OAuth client for Microsoft'],
  ['tags', 'Rename billing', 'Rename “billing”'],
  ['tags', 'Remove billing', 'Remove “billing”?'],
] as const

const DESKTOP = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }
const bellhop = await sharedBellhop()
const client = await bellhop.organization('Acme')
const admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
/** Pages of single things. */
const details = await fill()

browserTest('every settings page is accessible in both themes and fits on a phone', async () => {
  const page = await openPage({ url: bellhop.url, agent: admin })
  await page.goto('/settings/account')
  for (const path of [...PAGES, ...details]) {
    await follow(page, `/settings/${path}`)
    await page
      .getByRole('status', { name: /loading/i })
      .first()
      .waitFor({ state: 'detached' })
    expect([path, await accessibilityFaultsInBothThemes(page)]).toEqual([path, []])
    await page.setViewportSize(PHONE)
    expect([path, await overhang(page)]).toEqual([path, 0])
    await page.setViewportSize(DESKTOP)
  }
})

browserTest('every dialog is accessible in both themes and returns the focus to its button', async () => {
  const page = await openPage({ url: bellhop.url, agent: admin })
  await page.goto('/settings/account')
  for (const [path, name, title] of DIALOGS) {
    await follow(page, `/settings/${path}`)
    const button = page.getByRole('button', { name })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: title }).waitFor()
    expect([title, await accessibilityFaultsInBothThemes(page)]).toEqual([title, []])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await button.and(page.locator(':focus')).waitFor()
  }
})

/** Goes on to another page as a link does, which is faster than to load everything again, and waits for it. */
async function follow(page: Page, path: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  if (page.url().endsWith(path)) return
  await page.evaluate((href) => {
    document.querySelector('h1')?.setAttribute('data-left', '')
    const link = Object.assign(document.createElement('a'), { href })
    document.body.append(link)
    link.click()
    link.remove()
  }, path)
  await page.waitForURL(`**${path}`)
  await page.locator('h1:not([data-left])').waitFor()
}

/** Pixels by which the page is wider than the screen. */
function overhang(page: Page): Promise<number> {
  return page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)
}

/** One of everything. Answers the pages of single things. */
async function fill(): Promise<string[]> {
  const post = <Json>(path: string, body: unknown) => admin.call<Json>('POST', `/console${path}`, { body })
  const endpoint = await post<{ endpoint: { id: string } }>('/endpoints', {
    url: 'https://hooks.example.com/a/rather/long/address/that/does/not/fit/on/a/phone',
    events: ['ticket.created'],
    description: 'Order desk',
  })
  const { id } = endpoint.json.endpoint
  await admin.call('POST', `/console/endpoints/${id}/disable`)
  await client.call('POST', '/tickets', {
    body: { subject: 'Hello', message: 'Hello', customer: { email: 'ana@example.com' }, tags: ['billing'] },
  })
  const reply = await post<{ id: string }>('/saved-replies', {
    name: 'Thanks',
    text: 'Thank you {{customer.name}}',
  })
  const widget = await post<{ widget: { id: string } }>('/widgets', {
    name: 'Shop',
    origins: ['https://*.a.rather.long.name.of.a.website.that.does.not.fit.on.a.phone.example'],
    questions: { fields: [{ key: 'order', label: 'Order number', isRequired: true }] },
    hours: {
      timeZone: 'Europe/Berlin',
      days: [{ from: '09:00', to: '24:00' }, null, null, null, null, null, null],
      awayText: '',
    },
  })
  const deliveries = await admin.call<{ data: { id: string }[] }>('GET', '/console/deliveries')
  const delivery = deliveries.json.data[0]?.id
  const mailbox = await post<{ id: string }>('/mailboxes', newMailbox())
  const atGoogle = { name: 'Sales', address: 'a.rather.long.address@sales.acme.example', signIn: 'google' }
  const unfinished = await post<{ id: string }>('/mailboxes', atGoogle)
  const ledger = await openLedger(bellhop, client.orgId, 'orders@acme.example')
  const mail = await ledger.fetched('Subject: No one wrote this\r\n\r\nHello')
  expect(mail.outcome).toBe('quarantined')
  return [
    `widget/${widget.json.widget.id}`,
    `telegram/${await storeBot(bellhop, client.orgId)}`,
    `email/${mailbox.json.id}`,
    `email/${unfinished.json.id}`,
    `mails/${mail.id}`,
    `endpoints/${id}`,
    `saved-replies/${reply.json.id}`,
    `deliveries/${delivery}`,
  ]
}

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Client, sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { openList } from '../support/inbox.ts'
import { readThread } from '../support/threads.ts'
import { editor } from '../support/ticket-page.ts'
import { makeTicket, readTicket, type TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const CASES = 60
const MAX_DAY_MS = 600_000
const SAVED = 'We refund you within five days.'

const bellhop = await sharedBellhop()

browserTest(
  'an agent works through 60 tickets by keys alone, and not one word is lost',
  async () => {
    const client = await bellhop.organization('Acme')
    const ben = await signInAgent(bellhop, client.orgId, { name: 'Ben Okafor' })
    const ana = await signInAgent(bellhop, client.orgId, { name: 'Ana Lima' })
    await ben.call('POST', '/console/saved-replies', { body: { name: 'Refund', text: SAVED } })
    const cases: Case[] = []
    for (let number = 0; number < CASES; number += 1) cases.push(await makeCase(client, number))

    const page = await openPage({ url: bellhop.url, agent: ben })
    await openList(page, '/inbox/unassigned')
    for (const one of cases) {
      await openByCommandMenu(page, one)
      await WORK[one.act](page, one)
      expect(page.url()).toContain(one.act === 'merge' ? one.otherId : one.id)
    }
    for (const one of cases) await eventually(async () => isAsExpected(client, ben, one))
    const mentions = await ana.call<{ data: unknown[] }>('GET', '/console/tickets?q=is:mentioned&limit=50')
    expect(mentions.json.data).toHaveLength(CASES / ACTS.length)
  },
  MAX_DAY_MS,
)

const ACTS = ['answer', 'mention', 'snooze', 'saved reply', 'merge', 'undo'] as const
type Act = (typeof ACTS)[number]

interface Case {
  id: string
  /** Of the same customer: what the ticket is merged into. */
  otherId: string
  subject: string
  act: Act
  /** What the agent writes. */
  words: string
}

async function makeCase(client: Client, number: number): Promise<Case> {
  const subject = `Case ${String(number).padStart(2, '0')}`
  const act = ACTS[number % ACTS.length] ?? 'answer'
  const customer = { name: `Kim ${number}`, email: `kim.${number}@example.com` }
  const make = (about: string) => makeTicket(client, { subject: about, customer, message: `About ${about}.` })
  const other = act === 'merge' ? await make(`Twin of ${subject}`) : undefined
  const { id } = await make(subject)
  return { id, otherId: other?.id ?? '', subject, act, words: `These words belong to ${subject}.` }
}

async function openByCommandMenu(page: Page, { subject, id }: Case): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await page.keyboard.type(id)
  await page.getByRole('dialog').getByRole('option', { name: subject }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: subject, exact: true }).waitFor()
  await editor(page).waitFor()
}

const WORK: Record<Act, (page: Page, one: Case) => Promise<void>> = {
  async answer(page, { words }) {
    await page.keyboard.press('r')
    await write(page, words)
    await resolve(page)
  },
  async mention(page, { words }) {
    const picker = page.getByRole('combobox', { name: 'Mention' })
    await page.keyboard.press('n')
    await page.keyboard.press('@')
    await picker.waitFor()
    await page.keyboard.type('ana')
    await page.keyboard.press('Enter')
    await picker.waitFor({ state: 'detached' })
    await write(page, words)
  },
  async snooze(page, { words }) {
    await page.keyboard.press('s')
    await page.getByRole('combobox', { name: 'Time' }).waitFor()
    await page.keyboard.type('tomorrow 10')
    await page.keyboard.press('Tab')
    await page.keyboard.type(words)
    await page.keyboard.press('Enter')
    await page.locator('.snooze-line').getByText(words).waitFor()
  },
  async 'saved reply'(page, { words }) {
    await page.keyboard.press('r')
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Saved replies' }).waitFor()
    await page.keyboard.press('Enter')
    await editor(page).getByText(SAVED).waitFor()
    await write(page, ` ${words}`)
  },
  async merge(page, { otherId }) {
    await page.keyboard.press('m')
    await page.getByRole('radio').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('You can undo this for 30 days.').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${otherId}*`)
  },
  async undo(page, { words }) {
    await resolve(page)
    await page.keyboard.press('Control+z')
    await page.keyboard.press('r')
    await write(page, words)
    await page.keyboard.press('Control+z')
    await editor(page).getByText(words).waitFor()
    await page.keyboard.press('Escape')
  },
}

/** Writes on in the field, and sends it. */
async function write(page: Page, words: string): Promise<void> {
  await page.keyboard.type(words)
  await page.keyboard.press('Control+Enter')
  await page.locator('.thread').getByText(words.trim()).waitFor()
}

async function resolve(page: Page): Promise<void> {
  await page.keyboard.press('e')
  await page.getByText('Resolved', { exact: true }).first().waitFor()
}

async function isAsExpected(client: Client, ben: SignedInAgent, one: Case): Promise<boolean> {
  const ticket: TicketJson & { snoozedUntil?: string; mergedInto?: string } = await readTicket(client, one.id)
  const thread = await readThread(ben, one.id)
  const hasText = (words: string) => thread.timeline.some(({ text }) => text?.includes(words))
  switch (one.act) {
    case 'answer':
      return ticket.status === 'resolved' && hasText(one.words)
    case 'mention':
      return ticket.status === 'open' && hasText(one.words)
    case 'snooze':
      return ticket.snoozedUntil !== undefined && JSON.stringify(thread).includes(one.words)
    case 'saved reply':
      return hasText(one.words) && hasText(SAVED)
    case 'merge':
      return (
        ticket.mergedInto === one.otherId && (await readTicket(client, one.otherId)).messages.length === 2
      )
    case 'undo':
      return ticket.status === 'open' && ticket.messages.length === 1 && thread.drafts[0]?.text === one.words
  }
}

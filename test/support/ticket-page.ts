import type { Locator, Page } from 'playwright-core'
import { type SignedInAgent, signInAgent } from './agents.ts'
import type { Bellhop, Client } from './bellhop.ts'
import { openPage, type Visit } from './browser.ts'
import { type ListedTicketJson, makeTicket } from './tickets.ts'

/** An organization with an agent and one ticket: what most tests of a ticket's page begin with. */
export interface Workspace {
  client: Client
  ben: SignedInAgent
  ticket: ListedTicketJson
  place: { orgId: string; ticketId: string }
}

export async function openWorkspace(
  bellhop: Bellhop,
  more: Record<string, unknown> = {},
): Promise<Workspace> {
  const client = await bellhop.organization()
  const ben = await signInAgent(bellhop, client.orgId, { name: 'Ben Okafor', role: 'admin' })
  const ticket = await makeTicket(client, more)
  return { client, ben, ticket, place: { orgId: client.orgId, ticketId: ticket.id } }
}

/** A window of its own with the ticket open, as the agent sees it. */
export async function openTicket(
  bellhop: Bellhop,
  agent: SignedInAgent,
  ticketId: string,
  { writesMarkdown, ...visit }: Partial<Visit> & { writesMarkdown?: boolean } = {},
): Promise<Page> {
  const page = await openPage({ url: bellhop.url, agent, ...visit })
  if (writesMarkdown) await page.addInitScript(() => localStorage.setItem('bellhop.writesMarkdown', 'true'))
  await page.goto(`/inbox/open/${ticketId}`)
  await (writesMarkdown ? field(page) : editor(page)).waitFor()
  await page.waitForSelector('html[data-connection=online]')
  return page
}

/** The same in an organization of its own. */
export async function openTicketPage(
  bellhop: Bellhop,
  more: Record<string, unknown> = {},
): Promise<Workspace & { page: Page }> {
  const workspace = await openWorkspace(bellhop, more)
  return { ...workspace, page: await openTicket(bellhop, workspace.ben, workspace.ticket.id) }
}

/** Where a reply or a note is typed. */
export function field(page: Page) {
  return page.locator('.composer-field')
}

/** The same, once the editor has replaced the plain field. */
export function editor(page: Page) {
  return page.locator('.composer-field[contenteditable=true]')
}

/** Types a word with an input method, which shows each step before the word is chosen. */
export async function compose(
  page: Page,
  { steps, word }: { steps: readonly string[]; word: string },
): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  for (const text of steps) {
    const end = { selectionStart: text.length, selectionEnd: text.length }
    await devtools.send('Input.imeSetComposition', { text, ...end })
  }
  await devtools.send('Input.insertText', { text: word })
}

/** What is written there. */
export function textIn(page: Page): Promise<string> {
  return writtenIn(field(page))
}

/** The lines of a formatted text in its field, with a blank one between paragraphs. In the plain field, its Markdown. */
export async function writtenIn(place: Locator): Promise<string> {
  const plain = await place.evaluate((element) =>
    element instanceof HTMLTextAreaElement ? element.value : undefined,
  )
  if (plain !== undefined) return plain
  const blocks = await place.locator(':scope > *').allInnerTexts()
  return blocks.map((text) => text.replace(/\n$/, '').replaceAll('\u00a0', ' ')).join('\n\n')
}

/** What is said in the thread, oldest first, with who says it: `['customer: Hello', 'note: …']`. */
export function thread(page: Page): Promise<string[]> {
  return page
    .locator('.message-group')
    .evaluateAll((groups) =>
      groups.flatMap((group) =>
        [...group.querySelectorAll('.message-text')].map(
          (text) => `${group.getAttribute('data-who')}: ${text.textContent}`,
        ),
      ),
    )
}

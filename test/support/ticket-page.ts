import type { Page } from 'playwright-core'
import { type SignedInAgent, signInAgent } from './agents.ts'
import type { Bellhop, Client } from './bellhop.ts'
import { openWindow, type Visit } from './browser.ts'
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
  visit: Partial<Visit> = {},
) {
  const window = await openWindow({ url: bellhop.url, agent, ...visit })
  await window.page.goto(`/inbox/open/${ticketId}`)
  await field(window.page).waitFor()
  await window.page.waitForSelector('html[data-connection=online]')
  return window
}

/** Where a reply or a note is typed. */
export function field(page: Page) {
  return page.locator('.composer-field')
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

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type SignedInAgent, signInAgent } from './agents.ts'
import type { Bellhop, Client } from './bellhop.ts'
import { type ListedTicketJson, makeTicket } from './tickets.ts'
import { eventually } from './webhooks.ts'

/** Creates an organization with one agent. */
export async function makeOrganization(
  bellhop: Bellhop,
  name: string,
): Promise<{ client: Client; agent: SignedInAgent }> {
  const client = await bellhop.organization(name)
  return { client, agent: await signInAgent(bellhop, client.orgId) }
}

/** Creates tickets with these subjects, oldest first. Lists show them in the opposite order. */
export async function makeTickets(
  client: Client,
  subjects: string[],
  more = {},
): Promise<ListedTicketJson[]> {
  const made: ListedTicketJson[] = []
  for (const subject of subjects) made.push(await makeTicket(client, { subject, ...more }))
  return made
}

/** Opens a list and waits for its rows. */
export async function openList(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.getByRole('option').first().waitFor()
}

/** Goes to a list by its two keys, without the pause between them that would end the sequence on a busy machine. */
export async function goToList(page: Page, key: string): Promise<void> {
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)])
}

/** The row of a ticket. */
export function rowOf(page: Page, subject: string) {
  return page.getByRole('option').filter({ hasText: subject })
}

/** The subjects of the rows on the page, from the top. */
export async function subjectsOf(page: Page): Promise<string[]> {
  const rows = await page.getByRole('option').evaluateAll((elements) =>
    elements.map((element) => ({
      place: Number(element.getAttribute('aria-posinset')),
      subject: element.querySelector('.ticket-row-subject > .ticket-row-cut')?.textContent ?? '',
    })),
  )
  return rows.toSorted((a, b) => a.place - b.place).map(({ subject }) => subject)
}

/** Waits until the row of a ticket has the focus. */
export async function waitForFocus(page: Page, subject: string): Promise<void> {
  await page.locator('[role="option"]:focus').filter({ hasText: subject }).waitFor()
}

export async function statusOf(agent: SignedInAgent, ticketId: string): Promise<string> {
  const answer = await agent.call<ListedTicketJson>('GET', `/v1/tickets/${ticketId}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.status
}

/** Waits until the server has the status. The page shows it earlier. */
export async function waitForStatus(agent: SignedInAgent, ticketId: string, status: string): Promise<void> {
  await eventually(async () => (await statusOf(agent, ticketId)) === status)
}

import type { Page } from 'playwright-core'
import { createId } from '../../server/ids.ts'
import type { SignedInAgent } from './agents.ts'
import { openPage } from './browser.ts'
import { replyPath } from './threads.ts'
import { eventually } from './webhooks.ts'

interface TicketRow {
  id: string
  subject: string
  messages: { role: string; text: string; attachments?: { id: string; name: string; size: number }[] }[]
}

/** The panel of the widget. */
export function panelOf(page: Page) {
  return page.getByRole('dialog')
}

/** A new visitor at a page of a shop, with the panel open. */
export async function openChat({ origin }: { origin: string }, path = '/'): Promise<Page> {
  const page = await openPage({ url: origin })
  await page.goto(path)
  await openPanel(page)
  return page
}

export async function openPanel(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Open chat/ }).click()
  await panelOf(page).waitFor()
}

/** Writes a message and waits until the server has it. */
export async function sendMessage(page: Page, text: string): Promise<void> {
  await writeMessage(page, text)
  await panelOf(page).getByText('Sent', { exact: true }).waitFor()
}

export async function writeMessage(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Waits for a message in the panel. */
export function messageOf(page: Page, text: string) {
  return panelOf(page).locator('.chat-thread-bubble').filter({ hasText: text })
}

/** The texts of the thread, oldest first. */
export function textsOf(page: Page): Promise<string[]> {
  return panelOf(page).locator('.chat-thread-bubble').allTextContents()
}

/** The tickets with their messages, oldest first. */
export async function ticketsOf(agent: SignedInAgent): Promise<TicketRow[]> {
  const { json } = await agent.call<{ data: { id: string }[] }>('GET', '/v1/tickets?per_page=100')
  const all = await Promise.all(
    json.data.map(({ id }) =>
      agent.call<TicketRow>('GET', `/v1/tickets/${id}`).then((answer) => answer.json),
    ),
  )
  return all.reverse()
}

/** The ticket with a message. */
export async function ticketWith(agent: SignedInAgent, text: string): Promise<TicketRow> {
  let found: TicketRow | undefined
  await eventually(async () => {
    found = (await ticketsOf(agent)).find(({ messages }) => messages.some((message) => message.text === text))
    return found !== undefined
  })
  if (!found) throw new Error(`No ticket has "${text}".`)
  return found
}

/** Replies as the inbox does, but at once. */
export async function answer(
  agent: SignedInAgent,
  ticketId: string,
  body: { text: string; format?: string; attachments?: string[] },
): Promise<void> {
  const result = await agent.call('PUT', replyPath(ticketId, createId('msg', agent.now())), { body })
  if (result.status !== 201) throw new Error(result.text)
}

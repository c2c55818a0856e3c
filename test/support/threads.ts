import { expect } from 'bun:test'
import { scheduledMessages } from '../../server/database/tables/scheduled-messages.ts'
import { createId } from '../../server/ids.ts'
import type { SignedInAgent } from './agents.ts'
import type { Bellhop } from './bellhop.ts'
import type { ManualClock } from './clock.ts'
import type { TicketJson } from './tickets.ts'
import type { AttachmentJson } from './uploads.ts'
import { eventually } from './webhooks.ts'

// The console's responses, declared again so that the tests don't depend on the server's types.

export interface EntryJson {
  kind: 'message' | 'note' | 'activity'
  id: string
  text?: string
  attachments?: AttachmentJson[]
  format?: string
  role?: string
  author?: string
  authorName?: string
  isAutomatic?: boolean
  email?: EmailJson
  html?: string
  hasQuote?: boolean
  agentId?: string
  agentName?: string
  sending?: string
  sendError?: string
  missed?: { address: string; state: string; detail: string }[]
  retryAt?: string
  editedAt?: string
  edits?: number
  takenBackAt?: string
  canEdit?: boolean
  canTakeBack?: boolean
  actor?: { kind: string; name: string }
  changes?: { field: string; from: unknown; to: unknown }[]
  createdAt: string
}

interface AddressJson {
  name: string
  address: string
}

interface EmailJson {
  isUnverified?: true
  from: AddressJson
  to: AddressJson[]
  cc?: AddressJson[]
  bcc?: AddressJson[]
  others?: number
  replyTo?: AddressJson[]
  subject: string
}

/** A waiting reply in the thread. */
export interface ReplyJson {
  id: string
  agentId?: string
  agentName: string
  text: string
  attachments?: AttachmentJson[]
  format: string
  actions?: { status?: string; assignedTo?: string; addTags?: string[]; removeTags?: string[] }
  isLater?: true
  sendAt: string
  isHeld: boolean
  heldBecause?: string
}

export interface ThreadJson {
  ticket: Omit<TicketJson, 'messages'> & { isSpam: boolean; version: number }
  timeline: EntryJson[]
  drafts: {
    kind: 'reply' | 'note'
    text: string
    attachments?: AttachmentJson[]
    recipients?: { to: AddressJson[]; cc: AddressJson[] }
    actions?: ReplyJson['actions']
    sendAt?: string
    savedAt: string
  }[]
  waiting: ReplyJson[]
  readUpTo: string | null
  reply: {
    by: string
    undoSeconds: number
    mailbox?: { id: string; name: string; address: string }
    chat?: { bot: string; name: string; username: string | null }
    recipients?: { to: AddressJson[]; cc: AddressJson[]; leftOut: number }
    problem?: { reason: string; effect: string; setting?: string; fix?: { id: string; by: string } }
  }
}

interface AddressJson {
  name: string
  address: string
}

export async function readThread(agent: SignedInAgent, ticketId: string): Promise<ThreadJson> {
  const answer = await agent.call<ThreadJson>('GET', `/console/tickets/${ticketId}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

/** The agent's draft on a ticket. */
export async function readDraft(
  agent: SignedInAgent,
  ticketId: string,
  kind: 'reply' | 'note',
): Promise<string | undefined> {
  const { drafts } = await readThread(agent, ticketId)
  return drafts.find((draft) => draft.kind === kind)?.text
}

/** Waits until the agent's draft is this text, and says what it is if that never happens. */
export async function draftBecomes(
  agent: SignedInAgent,
  ticketId: string,
  { kind = 'reply', text }: { kind?: 'reply' | 'note'; text: string },
): Promise<void> {
  let draft: string | undefined
  try {
    await eventually(async () => {
      draft = await readDraft(agent, ticketId, kind)
      return draft === text
    })
  } catch {
    expect(draft).toBe(text)
  }
}

/** Saves the draft of a reply as the page does. */
export async function saveDraft(agent: SignedInAgent, ticketId: string, text: string): Promise<void> {
  const answer = await agent.call('PUT', `/console/tickets/${ticketId}/draft`, {
    body: { kind: 'reply', text },
  })
  expect(answer.status, answer.text).toBe(200)
}

/** The newest message in the thread of an agent. */
export async function newestMessage(agent: SignedInAgent, ticketId: string): Promise<string> {
  const { timeline } = await readThread(agent, ticketId)
  return timeline.findLast(({ kind }) => kind === 'message')?.id ?? ''
}

/** The texts of the thread of a ticket. */
export async function textsOf(agent: SignedInAgent, ticketId: string): Promise<string[]> {
  const { timeline } = await readThread(agent, ticketId)
  return timeline.flatMap(({ kind, text }) => (kind === 'message' && text !== undefined ? [text] : []))
}

/** How long a reply waits after Send, so that it can be undone. */
export const UNDO_MS = 10_000

/** A message of `/v1` and how far it is. */
export interface OutgoingJson {
  id: string
  role: string
  text: string
  agentName?: string
  createdAt: string
  delivery?: { state: string; by?: string; sendAt?: string; reason?: string }
}

/** Presses Send, by default after reading everything. */
export async function sendReply(
  agent: SignedInAgent,
  ticketId: string,
  { after, ...more }: { text: string; after?: string; status?: string; attachments?: string[] },
): Promise<OutgoingJson> {
  const path = replyPath(ticketId, createId('msg', agent.now()))
  const sendAt = new Date(agent.now() + UNDO_MS).toISOString()
  const body = { ...more, sendAt, after: after ?? (await newestSeen(agent, ticketId)) }
  const answer = await agent.call<OutgoingJson>('PUT', path, { body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

/** Moves the clock until every waiting reply is sent or held. */
export async function untilSent({ deps }: Bellhop, clock: ManualClock): Promise<void> {
  await eventually(async () => {
    clock.advance(UNDO_MS)
    const rows = await deps.database.read.select().from(scheduledMessages)
    return rows.every(({ isHeld }) => isHeld)
  })
}

export function replyPath(ticketId: string, messageId: string): string {
  return `/v1/tickets/${ticketId}/messages/${messageId}`
}

/** Sends a waiting reply now, a held one anyway. */
export function sendNow(agent: SignedInAgent, ticketId: string, messageId: string) {
  return agent.call('POST', `/console/tickets/${ticketId}/messages/${messageId}/send`)
}

/** Adds a note as the page does. */
export async function addNote(
  agent: SignedInAgent,
  ticketId: string,
  text: string,
  format: 'plain' | 'markdown' = 'plain',
): Promise<EntryJson> {
  const path = `/console/tickets/${ticketId}/notes/${createId('not', agent.now())}`
  const answer = await agent.call<EntryJson>('PUT', path, { body: { text, format } })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

/** The newest message on the page, sent or waiting. */
async function newestSeen(agent: SignedInAgent, ticketId: string): Promise<string> {
  const { waiting } = await readThread(agent, ticketId)
  const coming = waiting.findLast(({ isHeld }) => !isHeld)
  return coming?.id ?? (await newestMessage(agent, ticketId))
}

import { expect } from 'bun:test'
import type { SignedInAgent } from './agents.ts'
import type { TicketJson } from './tickets.ts'

// What the pages see of one ticket, written down once more: the tests do not trust the server's own types.

export interface EntryJson {
  kind: 'message' | 'note' | 'activity'
  id: string
  text?: string
  role?: string
  agentId?: string
  agentName?: string
  sending?: string
  sendError?: string
  actor?: { kind: string; name: string }
  changes?: { field: string; from: unknown; to: unknown }[]
  createdAt: string
}

export interface ReplyJson {
  id: string
  agentId: string
  agentName: string
  text: string
  thenStatus?: string
  sendAt: string
  isHeld: boolean
  heldBecause?: string
}

export interface ThreadJson {
  ticket: Omit<TicketJson, 'messages'> & { isSpam: boolean; version: number }
  timeline: EntryJson[]
  drafts: { kind: 'reply' | 'note'; text: string; savedAt: string }[]
  waiting: ReplyJson[]
  readUpTo: string | null
}

export async function readThread(agent: SignedInAgent, ticketId: string): Promise<ThreadJson> {
  const answer = await agent.call<ThreadJson>('GET', `/console/tickets/${ticketId}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

/** What an agent has begun to write there. */
export async function readDraft(
  agent: SignedInAgent,
  ticketId: string,
  kind: 'reply' | 'note',
): Promise<string | undefined> {
  const { drafts } = await readThread(agent, ticketId)
  return drafts.find((draft) => draft.kind === kind)?.text
}

/** The newest message an agent has before their eyes. */
export async function newestMessage(agent: SignedInAgent, ticketId: string): Promise<string> {
  const { timeline } = await readThread(agent, ticketId)
  return timeline.findLast(({ kind }) => kind === 'message')?.id ?? ''
}

/** What has been said on a ticket, as the thread shows it. */
export async function textsOf(agent: SignedInAgent, ticketId: string): Promise<string[]> {
  const { timeline } = await readThread(agent, ticketId)
  return timeline.flatMap(({ kind, text }) => (kind === 'message' && text !== undefined ? [text] : []))
}

/** Presses Send, having seen everything unless told. */
export async function sendReply(
  agent: SignedInAgent,
  ticketId: string,
  body: { text: string; base?: string | null; lastMessageId?: string; thenStatus?: string; force?: boolean },
): Promise<ReplyJson> {
  const lastMessageId = body.lastMessageId ?? (await newestMessage(agent, ticketId))
  const path = `/console/tickets/${ticketId}/replies`
  const answer = await agent.call<ReplyJson>('POST', path, { body: { ...body, lastMessageId } })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

import { expect } from 'bun:test'
import { createProgram } from '../../server/agents/programs.ts'
import { type SignedInAgent, signInAgent } from './agents.ts'
import type { Answer, Bellhop, Client } from './bellhop.ts'
import { makeAndReadTicket, readTicket } from './tickets.ts'
import type { AttachmentJson } from './uploads.ts'

/** As `/v1` shows it. */
export interface SuggestionJson {
  id: string
  ticketId: string
  state: string
  by: { kind: string; id: string; name: string }
  text: string
  format: string
  attachments?: { id: string; name: string }[]
  answers: string
  sources: { title: string; url: string }[]
  confidence: number | null
  messageId?: string
  similarity?: number
  reason?: string
  createdAt: string
  closedAt: string | null
}

/** An open one in a thread. */
export interface OpenSuggestionJson {
  id: string
  by: { kind: string; id: string; name: string }
  text: string
  format: string
  attachments?: AttachmentJson[]
  answers: string
  sources: { title: string; url: string }[]
  confidence: number | null
  usedBy: string[]
  createdAt: string
}

/** What a program needs: it can read and suggest, and send nothing. */
export const SUGGESTING = ['tickets:read', 'suggestions:write'] as const

/** An organization with a ticket, a program that suggests, and two agents. */
export async function openSuggestions(bellhop: Bellhop) {
  const client = await bellhop.organization()
  const ben = await signInAgent(bellhop, client.orgId, { name: 'Ben' })
  const ana = await signInAgent(bellhop, client.orgId, { name: 'Ana' })
  const bot = await programOf(bellhop, client, 'Answer bot')
  const ticket = await makeAndReadTicket(client)
  return { client, ben, ana, bot, id: ticket.id, question: ticket.messages[0]?.id ?? '' }
}

/** A program with a key that can only suggest. */
export async function programOf(bellhop: Bellhop, client: Client, name: string): Promise<Client> {
  const program = await createProgram(bellhop.deps, client.orgId, { name })
  return client.withKey({ name: `Key of ${name}`, program: program.id, scopes: [...SUGGESTING] })
}

/** Asks for an answer to the newest message of the customer. */
export async function askToSuggest(
  by: Client,
  ticketId: string,
  body: { text: string; answers?: string } & Record<string, unknown>,
): Promise<Answer<SuggestionJson>> {
  const { messages } = await readTicket(by, ticketId)
  const answers = messages.findLast(({ role }) => role === 'customer')?.id
  return by.call<SuggestionJson>('POST', `/tickets/${ticketId}/suggestions`, { body: { answers, ...body } })
}

/** The same, and it must work. */
export async function suggest(
  by: Client,
  ticketId: string,
  body: { text: string } & Record<string, unknown>,
): Promise<SuggestionJson> {
  const answer = await askToSuggest(by, ticketId, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

/** All of a ticket, newest first. */
export async function suggestionsOf(by: Client, ticketId: string): Promise<SuggestionJson[]> {
  const answer = await by.call<{ data: SuggestionJson[] }>('GET', `/tickets/${ticketId}/suggestions`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.data
}

/** What an agent sees above the composer. */
export async function openSuggestionsOf(
  agent: SignedInAgent,
  ticketId: string,
): Promise<OpenSuggestionJson[]> {
  const answer = await agent.call<{ suggestions?: OpenSuggestionJson[] }>(
    'GET',
    `/console/tickets/${ticketId}`,
  )
  expect(answer.status, answer.text).toBe(200)
  return answer.json.suggestions ?? []
}

/** Takes it into the composer. */
export async function useSuggestion(
  agent: SignedInAgent,
  { ticketId, id }: Pick<SuggestionJson, 'ticketId' | 'id'>,
): Promise<{ text: string; format: string; attachments?: AttachmentJson[] }> {
  const path = `/console/tickets/${ticketId}/suggestions/${id}/use`
  const answer = await agent.call<{ text: string; format: string; attachments?: AttachmentJson[] }>(
    'POST',
    path,
  )
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

export function dismissSuggestion(
  agent: SignedInAgent,
  { ticketId, id }: Pick<SuggestionJson, 'ticketId' | 'id'>,
  body: object = {},
): Promise<Answer<unknown>> {
  return agent.call('POST', `/console/tickets/${ticketId}/suggestions/${id}/dismiss`, { body })
}

import { expect } from 'bun:test'
import type { Answer, Client } from './bellhop.ts'

// The API's responses, declared again so that the tests don't depend on the server's types.

/** As lists show it, and creating or changing it. */
export interface ListedTicketJson {
  id: string
  orgId: string
  status: string
  channel: string
  subject: string
  createdAt: string
  updatedAt: string
  lastMessageAt: string
  waitingSince?: string
  customer: { name: string; email?: string }
  customerId: string
  assignedTo?: string
  tags: string[]
  spam: boolean
}

export interface TicketJson extends ListedTicketJson {
  customer: { name: string; email?: string; userId: string }
  messages: MessageJson[]
}

export interface MessageJson {
  attachments?: { id: string; name: string }[]
  id: string
  role: string
  text: string
  format: string
  agentName?: string
  thirdParty?: true
  delivery?: { state: string; by?: string; reason?: string }
  createdAt: string
}

export interface ListJson {
  data: ListedTicketJson[]
  meta: { total: number; page: number; perPage: number; nextCursor?: string }
}

export interface ProblemJson {
  type: string
  title: string
  status: number
  detail: string
  code: string
  requestId: string
  errors?: { pointer?: string; parameter?: string; code: string; detail: string }[]
}

/** An id that doesn't exist. */
export const NO_TICKET = 'tkt_00000000000000000000000000'

export function ticketInput(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    subject: 'Missing invoice',
    customer: { name: 'Ana Pires', email: 'ana@example.com' },
    message: 'My invoice for February is missing.',
    ...more,
  }
}

/** Creates a ticket in the client's organization. */
export async function makeTicket(
  client: Client,
  more: Record<string, unknown> = {},
): Promise<ListedTicketJson> {
  const answer = await client.call<ListedTicketJson>('POST', '/tickets', { body: ticketInput(more) })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

/** Creates a ticket and reads it, for its messages and the id of its customer. */
export async function makeAndReadTicket(
  client: Client,
  more: Record<string, unknown> = {},
): Promise<TicketJson> {
  return readTicket(client, (await makeTicket(client, more)).id)
}

export async function readTicket(client: Client, id: string): Promise<TicketJson> {
  const answer = await client.call<TicketJson>('GET', `/tickets/${id}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

export async function changeTicket(client: Client, id: string, change: object): Promise<ListedTicketJson> {
  const answer = await client.call<ListedTicketJson>('PATCH', `/tickets/${id}`, { body: change })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

export async function listTickets(client: Client, query = ''): Promise<ListJson> {
  const answer = await client.call<ListJson>('GET', `/tickets${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

/** Checks that a response is a problem document with this status and code, and returns it. */
export function problemOf(answer: Answer<unknown>, status: number, code: string): ProblemJson {
  const problem = JSON.parse(answer.text || '{}')
  expect(
    [answer.status, problem.code, answer.headers.get('content-type')],
    answer.text.slice(0, 500),
  ).toEqual([status, code, 'application/problem+json'])
  // Bun's toMatchObject writes its matchers into the object, so none are used here.
  expect(problem).toMatchObject({
    type: 'about:blank',
    status,
    requestId: answer.headers.get('x-request-id'),
  })
  expect(problem.title).toMatch(/^[A-Z]/)
  expect(problem.detail).toMatch(/^.{3,300}$/)
  return problem
}

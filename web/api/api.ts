import { treaty } from '@elysiajs/eden'
import type { App } from '../../server/http/app.ts'
import { ApiProblem, offlineProblem, problemOf } from './api-problem.ts'
import { observeServerDate } from './server-clock.ts'
import { waitForSignIn } from './session-expiry.ts'

let tellUnreached = () => {}

/** The server's routes with their types: `api.console.tickets({ id }).get()`. Go through `ask` for data or a throw. */
export const api = treaty<App>(location.origin, {
  // Times stay the texts that the server sends, as their types say.
  parseDate: false,
  fetch: { credentials: 'same-origin' },
  fetcher: Object.assign(send, { preconnect: fetch.preconnect }),
  onResponse: readJson,
})

/** What a route answers when all went well: `type Ticket = Answer<typeof api.console.tickets.get>`. */
export type Answer<Call extends (...given: never[]) => Promise<{ data: unknown }>> = Exclude<
  Awaited<ReturnType<Call>>['data'],
  null
>

/** The data of an answer; throws `ApiProblem` when it is a refusal, or when the server was not reached. */
export async function ask<Data>(
  answer: Promise<{ data: Data; error: null } | { data: null; error: { value: unknown } }>,
): Promise<Data> {
  const { data, error } = await answer
  if (error === null) return data
  throw error.value instanceof ApiProblem ? error.value : offlineProblem()
}

/** Is told of each request that did not reach the server. */
export function onUnreached(listener: () => void): void {
  tellUnreached = listener
}

/**
 * Waits while nobody is signed in and then sends the same request again: what was typed, and what was under way, goes on
 * as if the session had never ended.
 */
async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(input, init).catch((error: unknown) => {
      if (!init?.signal?.aborted) tellUnreached()
      throw error
    })
    observeServerDate(response, Date.now())
    if (response.ok) return response
    const problem = await problemOf(response)
    if (problem.code !== 'signed_out' || isAboutSession(response.url)) throw problem
    await waitForSignIn(init?.signal ?? undefined)
  }
}

/** Whoever asks whether somebody is signed in wants the answer, not to wait for a better one. */
function isAboutSession(url: string): boolean {
  return new URL(url).pathname === '/console/session'
}

/** Eden would look into every text for dates and numbers. */
async function readJson(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return isJson ? response.json() : undefined
}

import { treaty } from '@elysiajs/eden'
import type { App } from '../../server/http/app.ts'
import { hasDirectionControls, withoutDirectionControls } from '../../server/text/direction-controls.ts'
import { ApiProblem, isSignedOutCode, offlineProblem, problemOf } from './api-problem.ts'
import { observeServerTime } from './server-clock.ts'
import { waitForSignIn } from './session-expiry.ts'

/** `name`, `authorName`, `subject`, and what a subject was changed `from` and `to`: what the page puts beside other text. Messages stay as they were written. */
const NAME = /(?:name|subject|label|title|^from|^to)$/i

let notifyUnreached = () => {}

/** The server's routes with their types: `api.console.tickets({ id }).get()`. Go through `ask` for data or a throw. */
export const api = treaty<App>(location.origin, {
  // Times stay strings, as their types say.
  parseDate: false,
  fetch: { credentials: 'same-origin' },
  fetcher: Object.assign(send, { preconnect: fetch.preconnect }),
  onResponse: readJson,
})

/** The data a route returns on success: `type Ticket = Answer<typeof api.console.tickets.get>`. */
export type Answer<Call extends (...given: never[]) => Promise<{ data: unknown }>> = Exclude<
  Awaited<ReturnType<Call>>['data'],
  null
>

/** Returns the data of a response. Throws `ApiProblem` on an error response, or if the server wasn't reached. */
export async function ask<Data>(
  response: Promise<{ data: Data; error: null } | { data: null; error: { value: unknown } }>,
): Promise<Data> {
  const { data, error } = await response
  if (error === null) return data
  throw error.value instanceof ApiProblem ? error.value : offlineProblem()
}

/** Sets the function to call when a request didn't reach the server. */
export function onServerUnreached(listener: () => void): void {
  notifyUnreached = listener
}

/** For a request that isn't sent through `api`. */
export function reportUnreached(): void {
  notifyUnreached()
}

/** If the session has expired, waits until the agent has signed in again, and then sends the same request again. */
async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(input, init).catch((error: unknown) => {
      if (!init?.signal?.aborted) notifyUnreached()
      throw error
    })
    observeServerTime(response, Date.now())
    if (response.ok) return response
    const problem = await problemOf(response)
    if (!isSignedOutCode(problem.code) || isAboutSession(response.url)) throw problem
    await waitForSignIn(init?.signal ?? undefined)
  }
}

/** Requests about the session report an expired one, and don't wait for a sign-in. */
function isAboutSession(url: string): boolean {
  return new URL(url).pathname === '/console/session'
}

/** Eden would try to parse every string as a date or a number. */
async function readJson(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return isJson ? parseJson(await response.text()) : undefined
}

/**
 * The server returns names exactly as a customer or an integration gave them. In the page they lose the characters that
 * would turn the direction of the text around them.
 */
function parseJson(text: string): unknown {
  if (!hasDirectionControls(text)) return JSON.parse(text)
  return JSON.parse(text, (key, value: unknown) =>
    typeof value === 'string' && NAME.test(key) ? withoutDirectionControls(value) : value,
  )
}

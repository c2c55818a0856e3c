/** What Elysia adds to a response. */
export interface ElysiaSet {
  headers: Record<string, unknown>
}

/**
 * A response with the headers that were set so far. Elysia would copy a response into a new one, with its body as a
 * stream, if there were headers left to add.
 */
export function finishedResponse(set: ElysiaSet, body: string | null, status = 200): Response {
  const headers = takeHeaders(set)
  if (body !== null) headers['content-type'] = 'application/json'
  return new Response(body, { status, headers })
}

/** The headers that were set so far, for a response that is made with them. */
export function takeHeaders(set: ElysiaSet): Record<string, string> {
  // All of them are text.
  const headers = set.headers as Record<string, string>
  set.headers = {}
  return headers
}

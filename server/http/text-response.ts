import { keptTextResponse } from '../responses/kept-texts.ts'

/** Responds with a text of the program, which browsers ask for again each time. */
export function textResponse(
  request: Request,
  text: string,
  type: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return keptTextResponse(request, text, {
    headers: {
      ...headers,
      'cache-control': 'no-cache',
      'content-type': type,
      'x-content-type-options': 'nosniff',
    },
  })
}

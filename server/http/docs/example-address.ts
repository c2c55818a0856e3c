import { baseUrl } from '../../requests/headers.ts'

/** The server in the examples as they are written; readers see the address of their own. */
export const EXAMPLE_ADDRESS = 'http://127.0.0.1:3000'

/** Safe in a command that someone pastes into a shell. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i

/** Puts the address that this reader reaches the server at into the examples of a page. */
export function withServerAddress(page: string, request: Request, publicUrl: string | undefined): string {
  if (publicUrl === undefined && !HOST.test(request.headers.get('host') ?? '')) return page
  return page.replaceAll(EXAMPLE_ADDRESS, Bun.escapeHTML(baseUrl(request, publicUrl)))
}

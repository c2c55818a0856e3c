import { isNamed } from '../requests/headers.ts'

/** Responds with text and an ETag of its content, or with 304 if the browser has it already. */
export function textResponse(
  request: Request,
  text: string,
  type: string,
  headers: Record<string, string> = {},
): Response {
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url')
  const etag = `"${digest}"`
  const known = request.headers.get('if-none-match')
  const shared = { ...headers, etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
  if (known !== null && isNamed(known, etag)) return new Response(null, { status: 304, headers: shared })
  return new Response(text, { headers: { ...shared, 'content-type': type } })
}

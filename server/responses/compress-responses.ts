import type { AnyElysia } from 'elysia'
import { compress, type Encoding, encodingFor, MIN_COMPRESSED_BYTES } from './encodings.ts'

/** JSON, problem documents, pages, and other text. Not event streams. */
const COMPRESSIBLE =
  /^(?:application\/(?:[\w.-]+\+)?json|text\/(?!event-stream)|application\/javascript|image\/svg)/

/**
 * Compresses text that isn't small, if the client accepts it. Leaves out responses that are already compressed, have no
 * body, or are files of attachments.
 */
export function compressResponses<App extends AnyElysia>(app: App): App {
  app.wrap((handle) => (request: Request) => {
    const response: unknown = handle(request)
    const accepted = request.headers.get('accept-encoding')
    if (accepted === null || accepted === 'identity' || request.method === 'HEAD') return response
    return response instanceof Promise
      ? response.then((one: unknown) => compressed(one, accepted))
      : compressed(response, accepted)
  })
  return app
}

function compressed(response: unknown, accepted: string): unknown {
  if (!(response instanceof Response) || !isCompressible(response)) return response
  const encoding = encodingFor(accepted)
  if (encoding) return compressBody(response, encoding)
  varyByEncoding(response.headers)
  return response
}

function isCompressible({ status, headers }: Response): boolean {
  return (
    status !== 204 &&
    status !== 304 &&
    COMPRESSIBLE.test(headers.get('content-type') ?? '') &&
    !headers.has('content-encoding') &&
    !headers.has('content-disposition')
  )
}

async function compressBody(response: Response, encoding: Encoding): Promise<Response> {
  const { status, headers } = response
  const bytes = await response.bytes()
  if (bytes.byteLength < MIN_COMPRESSED_BYTES) {
    varyByEncoding(headers)
    return new Response(bytes, { status, headers })
  }
  markEncoded(headers, encoding)
  return new Response(await compress(bytes, encoding), { status, headers })
}

/** The ETag is made from the uncompressed bytes, so it becomes a weak one (RFC 9110, section 8.8.3). */
export function markEncoded(headers: Headers, encoding: Encoding): void {
  headers.set('content-encoding', encoding)
  varyByEncoding(headers)
  const etag = headers.get('etag')
  if (etag?.startsWith('"')) headers.set('etag', `W/${etag}`)
}

function varyByEncoding(headers: Headers): void {
  const vary = headers.get('vary')
  if (vary === null) headers.set('vary', 'Accept-Encoding')
  else if (!/accept-encoding|\*/i.test(vary)) headers.set('vary', `${vary}, Accept-Encoding`)
}

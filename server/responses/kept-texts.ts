import { isNamed } from '../requests/headers.ts'
import { createByteCache } from './byte-cache.ts'
import { markEncoded } from './compress-responses.ts'
import { compress, type Encoding, encodingFor, MIN_COMPRESSED_BYTES } from './encodings.ts'

/** Of all kept texts together. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

type Bytes = Uint8Array<ArrayBuffer>

interface Kept {
  plain: Bytes
  etag: string
  encoded: Map<Encoding, Promise<Bytes>>
}

/** The encodings are smaller than the text. */
const keptTexts = createByteCache<Kept>(MAX_KEPT_BYTES, ({ plain }) => plain.length * 2)

/**
 * Responds with a text that many clients get, such as a page, and an ETag of its content; or with 304 if the client has
 * it already. Each text is encoded once, whatever the number of requests.
 */
export async function keptTextResponse(
  request: Request,
  text: string,
  response: { headers: Record<string, string>; status?: number },
): Promise<Response> {
  const kept = keep(text)
  const { status = 200 } = response
  const headers = new Headers({ ...response.headers, etag: kept.etag })
  const ifNoneMatch = request.headers.get('if-none-match')
  if (ifNoneMatch !== null && isNamed(ifNoneMatch, kept.etag)) {
    headers.delete('content-type')
    return new Response(null, { status: 304, headers })
  }
  const encoding =
    kept.plain.length < MIN_COMPRESSED_BYTES
      ? undefined
      : encodingFor(request.headers.get('accept-encoding') ?? '')
  if (!encoding) return new Response(kept.plain, { status, headers })
  const bytes = await encoded(kept, encoding)
  markEncoded(headers, encoding)
  return new Response(bytes, { status, headers })
}

function keep(text: string): Kept {
  const earlier = keptTexts.get(text)
  if (earlier) return earlier
  const plain = new TextEncoder().encode(text)
  const digest = new Bun.CryptoHasher('sha256').update(plain).digest('base64url')
  const kept = { plain, etag: `"${digest}"`, encoded: new Map() }
  keptTexts.keep(text, kept)
  return kept
}

function encoded(kept: Kept, encoding: Encoding): Promise<Bytes> {
  const bytes = kept.encoded.get(encoding) ?? compress(kept.plain, encoding)
  kept.encoded.set(encoding, bytes)
  return bytes
}

import { isNamed } from '../requests/headers.ts'
import { markEncoded } from './compress-responses.ts'
import { compress, type Encoding, encodingFor, MIN_COMPRESSED_BYTES } from './encodings.ts'

/** Of all kept texts together. Those that were used last stay. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

type Bytes = Uint8Array<ArrayBuffer>

interface Kept {
  plain: Bytes
  etag: string
  encoded: Map<Encoding, Promise<Bytes>>
}

const keptTexts = new Map<string, Kept>()
let keptBytes = 0

/**
 * Responds with a text that many clients get, such as a page, and an ETag of its content; or with 304 if the client has
 * it already. Each text is encoded once, whatever the number of requests.
 */
export async function keptTextResponse(
  request: Request,
  text: string,
  { headers: given, status = 200 }: { headers: Record<string, string>; status?: number },
): Promise<Response> {
  const kept = keep(text)
  const headers = new Headers({ ...given, etag: kept.etag })
  const known = request.headers.get('if-none-match')
  if (known !== null && isNamed(known, kept.etag)) {
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
  const known = keptTexts.get(text)
  if (known) {
    keptTexts.delete(text)
    keptTexts.set(text, known)
    return known
  }
  const plain = new TextEncoder().encode(text)
  const digest = new Bun.CryptoHasher('sha256').update(plain).digest('base64url')
  const kept = { plain, etag: `"${digest}"`, encoded: new Map() }
  keptTexts.set(text, kept)
  keptBytes += sizeOf(kept)
  for (const [oldest, one] of keptTexts) {
    if (keptBytes <= MAX_KEPT_BYTES) break
    keptTexts.delete(oldest)
    keptBytes -= sizeOf(one)
  }
  return kept
}

/** With its key and its encodings, which are smaller. */
function sizeOf({ plain }: Kept): number {
  return plain.length * 4 + 500
}

function encoded(kept: Kept, encoding: Encoding): Promise<Bytes> {
  const known = kept.encoded.get(encoding)
  if (known) return known
  const bytes = compress(kept.plain, encoding)
  kept.encoded.set(encoding, bytes)
  return bytes
}

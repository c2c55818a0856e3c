import type { Clock } from '../../../clock.ts'
import { AppError } from '../../../errors.ts'
import type { Dialer } from '../../../network/dial.ts'
import { httpGet, readAtMost } from '../../../network/http-get.ts'

const MAX_BYTES = 10 * 1024 * 1024
const MAX_MS = 10_000
const MAX_REDIRECTS = 3
/** SVG is left out: it can contain scripts and load more. */
const IMAGE_TYPES = /^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)\b/

interface RemoteImage {
  type: string
  bytes: Uint8Array
}

/**
 * Loads an image that a mail refers to, so that its sender doesn't learn who reads it, from where, or with which
 * browser. Follows the address policy and sends no cookies. Throws 404 when there is no image, or it is too large or
 * too slow.
 */
export async function loadRemoteImage(
  { clock, dialer }: { clock: Clock; dialer: Dialer },
  url: string,
  signal: AbortSignal,
): Promise<RemoteImage> {
  const abort = new AbortController()
  const cancelTimer = clock.after(MAX_MS, () => abort.abort())
  try {
    return await load(dialer, url, AbortSignal.any([signal, abort.signal]), MAX_REDIRECTS)
  } catch (cause) {
    throw cause instanceof AppError ? cause : notLoaded()
  } finally {
    cancelTimer()
  }
}

async function load(
  dialer: Dialer,
  address: string,
  signal: AbortSignal,
  redirects: number,
): Promise<RemoteImage> {
  const url = new URL(address)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw notLoaded()
  const response = await httpGet(dialer, url, { headers: { accept: 'image/*' }, signal })
  const { statusCode = 0, headers } = response
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    response.destroy()
    if (redirects === 0) throw notLoaded()
    return load(dialer, new URL(headers.location, address).href, signal, redirects - 1)
  }
  const type = headers['content-type'] ?? ''
  if (statusCode !== 200 || !IMAGE_TYPES.test(type)) {
    response.destroy()
    throw notLoaded()
  }
  const bytes = await readAtMost(response, MAX_BYTES)
  if (!bytes) throw notLoaded()
  return { type, bytes }
}

function notLoaded(): AppError {
  return new AppError(404, 'image_not_loaded', 'The image could not be loaded.')
}

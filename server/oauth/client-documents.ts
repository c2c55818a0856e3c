import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { createAddressPolicy } from '../network/address-policy.ts'
import { createDialer, type Dialer } from '../network/dial.ts'
import { httpGet, readAtMost } from '../network/http-get.ts'
import { parseJson } from '../requests/json-body.ts'
import { createLimits } from '../requests/rolling-window.ts'
import { refusalOfUrl } from '../webhooks/endpoints/validate.ts'
import { tooMany } from './oauth-error.ts'

const MAX_BYTES = 5_120
const MAX_MS = 5_000
const MAX_CACHED = 200
const MAX_AGE_S = 86_400
/** Without a `Cache-Control` of its own. */
const USUAL_AGE_S = 3_600
const PER_AGENT = 20
const IN_ALL = 200

type Document = Record<string, unknown>

/**
 * Reads what programs publish about themselves at the URL that is their id (draft-ietf-oauth-client-id-metadata-document),
 * where webhooks may be sent, too. Only for signed-in agents: a stranger can't make this server send requests.
 */
export function createClientDocuments(deps: Deps) {
  const { clock, config } = deps
  const policy = createAddressPolicy(config.webhookAllow)
  const dialer = createDialer({ clock, policy, ca: config.webhookCa })
  const limits = createLimits(clock.monotonic)
  const cached = new Map<string, { document: Document; until: number }>()

  function keep(url: string, document: Document, seconds: number): void {
    if (seconds <= 0) return
    cached.delete(url)
    const [oldest] = cached.keys()
    if (oldest !== undefined && cached.size >= MAX_CACHED) cached.delete(oldest)
    cached.set(url, { document, until: clock.monotonic() + seconds * 1_000 })
  }

  return {
    /** Throws 400 with the reason for the agent, and 429. */
    async read(url: string, agentId: string): Promise<Document> {
      const known = cached.get(url)
      if (known && known.until > clock.monotonic()) return known.document
      if (refusalOfUrl(policy, url)) throw unreadable(url, "its address isn't a public one")
      const wait = limits.take([
        { key: 'all', most: IN_ALL, in: 'minute' },
        { key: `of ${agentId}`, most: PER_AGENT, in: 'minute' },
      ])
      if (wait !== undefined) throw tooMany('Too many programs at once.', wait)
      const { document, maxAgeS } = await load(deps, dialer, url)
      // Otherwise, anyone could publish the document of another program under a URL of their own.
      if (document.client_id !== url) throw unreadable(url, 'it is the document of another program')
      keep(url, document, maxAgeS)
      return document
    },
  }
}

/** Whether a client's id is the URL of its document: https with a path, written as it is requested. */
export function isDocumentUrl(id: string): boolean {
  const url = id.startsWith('https://') ? URL.parse(id) : null
  return url !== null && url.href === id && url.pathname !== '/' && !id.includes('#')
}

async function load(
  { clock, log }: Deps,
  dialer: Dialer,
  url: string,
): Promise<{ document: Document; maxAgeS: number }> {
  const abort = new AbortController()
  const cancelTimer = clock.after(MAX_MS, () => abort.abort())
  try {
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' }
    const response = await httpGet(dialer, new URL(url), { headers, signal: abort.signal })
    const { 'cache-control': caching = '', 'content-encoding': encoding } = response.headers
    if (response.statusCode !== 200 || encoding !== undefined) {
      response.destroy()
      throw unreadable(url, `the answer has the status ${response.statusCode}`)
    }
    const bytes = await readAtMost(response, MAX_BYTES)
    if (!bytes) throw unreadable(url, `it is larger than ${MAX_BYTES} bytes`)
    if (!response.complete) throw new Error('The answer is incomplete.')
    return { document: parse(url, bytes), maxAgeS: ageOf(caching) }
  } catch (error) {
    if (error instanceof AppError) throw error
    log.info('client_document_not_loaded', { url, error })
    throw unreadable(url, abort.signal.aborted ? "it didn't arrive in time" : "it couldn't be loaded")
  } finally {
    cancelTimer()
  }
}

function parse(url: string, bytes: Uint8Array): Document {
  try {
    const value = parseJson(bytes)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // The same answer as for a list.
  }
  throw unreadable(url, "it isn't a JSON object")
}

function ageOf(caching: string): number {
  if (/\bno-(?:store|cache)\b/i.test(caching)) return 0
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(caching)?.[1]
  return seconds === undefined ? USUAL_AGE_S : Math.min(Number(seconds), MAX_AGE_S)
}

function unreadable(url: string, reason: string): AppError {
  const { host } = new URL(url)
  const detail = `The program's description at ${host} can't be used: ${reason}.`
  return new AppError(400, 'client_document_unreadable', detail)
}

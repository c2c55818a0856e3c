import { type Answer, type Bellhop, type Call, type Client, call } from './bellhop.ts'
import type { ReceivedRequest } from './receiver.ts'

/** Random or counted values. Each is written as its kind and a number, in the order in which they appear. */
const IDS = /\b([a-z]{3}_[0-9a-z]{26}|org_[0-9a-z]{12})\b/g
const CURSORS = /(?<=[?&]cursor=|"nextCursor":")[\w-]{20,}/g
/** Headers whose value differs in every run, or follows from the body. */
const RANDOM = new Set([
  'content-length',
  'date',
  'host',
  'webhook-signature',
  'x-request-id',
  'x-service-signature',
])
/** Headers that are the same nearly everywhere: written once, and where they differ or are missing. */
const USUAL =
  /^(accept-encoding|cache-control|connection|content-type|user-agent|x-content-type-options|(x-)?ratelimit.*)$/
const COUNTED = /^(x-)?ratelimit/
const MAX_REQUEST_LENGTH = 300

/** Writes requests and their answers, and webhooks, as text that is the same in every run. */
export class Transcript {
  readonly #steps: string[] = []
  readonly #numbers = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  readonly #usualOfAnswers = new Map<string, string>()
  readonly #usualOfWebhooks = new Map<string, string>()
  readonly #url: string

  constructor({ url }: Pick<Bellhop, 'url'>) {
    this.#url = url
  }

  /** Asks as a client, or without a key. `asked` is such as `GET /tickets?page=2`. */
  async ask<Json = { id: string }>(
    client: Client | undefined,
    asked: string,
    more: Call = {},
  ): Promise<Answer<Json>> {
    const [method = '', path = ''] = asked.split(' ')
    // Whether an answer is long enough to be compressed can change with a field.
    const sent = { ...more, headers: { 'accept-encoding': 'identity', ...more.headers } }
    const answer = await (client
      ? client.call<Json>(method, path, sent)
      : call<Json>(method, `${this.#url}/v1${path}`, sent))
    const { status, text } = answer
    const parts = [
      asked,
      more.headers && JSON.stringify(more.headers),
      more.body && JSON.stringify(more.body),
    ]
    const request = parts.filter(Boolean).join(' ').slice(0, MAX_REQUEST_LENGTH)
    const headers = linesOf(Object.fromEntries(answer.headers), this.#usualOfAnswers, status === 429)
    this.#write([`> ${request}`, `${status}`, ...headers, text])
    return answer
  }

  /** Writes what an endpoint got. */
  webhook({ headers, body }: ReceivedRequest): void {
    this.#write([
      '> webhook',
      ...linesOf(headers, this.#usualOfWebhooks, false),
      new TextDecoder().decode(body),
    ])
  }

  toString(): string {
    return `${this.#steps.join('\n\n')}\n`
  }

  #write(lines: string[]): void {
    const text = lines
      .filter((line) => line !== '')
      .join('\n')
      .replaceAll(this.#url, 'http://bellhop')
      .replaceAll(IDS, (id) => this.#numbered(id.slice(0, 3), id))
      .replaceAll(CURSORS, (cursor) => this.#numbered('cursor', cursor))
    this.#steps.push(text)
  }

  #numbered(kind: string, value: string): string {
    const known = this.#numbers.get(value)
    if (known) return known
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    const name = `${kind}_${count}`
    this.#numbers.set(value, name)
    return name
  }
}

/** One line for each header that isn't as usual, and `-name` for a usual one that is missing. */
function linesOf(headers: Record<string, string>, usual: Map<string, string>, isLimited: boolean): string[] {
  const lines: string[] = []
  for (const [name, value] of Object.entries(headers)) {
    if (RANDOM.has(name)) continue
    const isAsUsual = usual.get(name) === value || (COUNTED.test(name) && usual.has(name) && !isLimited)
    if (!isAsUsual) lines.push(`${name}: ${value}`)
    if (USUAL.test(name) && !usual.has(name)) usual.set(name, value)
  }
  const missing = [...usual.keys()].filter((name) => !(name in headers))
  return [...lines, ...missing.map((name) => `-${name}`)].sort()
}

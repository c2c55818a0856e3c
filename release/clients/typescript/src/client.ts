import { Problem } from './problem.ts'
import type { components, paths } from './types.ts'

/** Longer than the server lets a request wait. */
const TIMEOUT_MS = 60_000
const MAX_TRIES = 6
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
const PER_PAGE = 100
const EVENTS_PER_PAGE = 500
const LONGEST_WAIT_S = 30
/** The request was not carried out, or an idempotency key makes it safe to send it again. */
const RETRIED = [429, 500, 502, 503, 504]

export interface ClientOptions {
  /** The address of the server, such as `https://help.example.com`. */
  url: string
  /** A secret API key. */
  key: string
  /** How often a request is sent at most, with growing pauses. 6 by default. */
  maxTries?: number
  /** In place of the global one. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export type EventPage = components['schemas']['EventList']
type Event = components['schemas']['Event']

export interface EventOptions {
  /** The events after this position; `0` for all that are kept. */
  after: string
  /** Only these, separated by commas. */
  types?: string
  /** Only of this ticket. */
  ticket?: string
  /** `ticket`, `message`, and `customer`, separated by commas: their present state, in `included`. */
  include?: string
  /** Seconds that a request waits for the next event, 30 by default. With 0, it ends after the newest one. */
  wait?: number
  signal?: AbortSignal
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Json<T> = T extends { content: infer Content } ? Content[keyof Content] : undefined
type Operation<Path extends keyof paths, Verb extends Method> = NonNullable<paths[Path][Verb]>
/** Paths that have an operation of this method. */
export type PathOf<Verb extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<Verb, object> ? Path : never
}[keyof paths]

type Parameters<Op, Kind extends string, Name extends string> = Op extends { parameters: infer All }
  ? All extends Record<Kind, infer Required extends object>
    ? Record<Name, Required>
    : All extends Partial<Record<Kind, infer Optional>>
      ? Partial<Record<Name, Optional>>
      : unknown
  : unknown
type Body<Op> = Op extends { requestBody: infer Required } ? { body: Json<Required> } : unknown

/** What an operation takes: `params` of the path, `query`, and `body`. */
export type Input<Path extends keyof paths, Verb extends Method> = Parameters<
  Operation<Path, Verb>,
  'path',
  'params'
> &
  Parameters<Operation<Path, Verb>, 'query', 'query'> &
  Body<Operation<Path, Verb>> & {
    headers?: Record<string, string>
    /** Of your own, to repeat a POST safely even after a restart. Otherwise, each call has a new one. */
    idempotencyKey?: string
    signal?: AbortSignal
  }
type Arguments<Path extends keyof paths, Verb extends Method> =
  Record<never, never> extends Input<Path, Verb> ? [input?: Input<Path, Verb>] : [input: Input<Path, Verb>]

type Success<Op> = Op extends { responses: infer All }
  ? { [Status in keyof All]: Status extends 200 | 201 | 202 ? Json<All[Status]> : never }[keyof All]
  : never
/** The body that an operation answers with. */
export type Output<Path extends keyof paths, Verb extends Method> = Success<Operation<Path, Verb>>

interface AnyInput {
  params?: object
  query?: object
  body?: unknown
  headers?: Record<string, string>
  idempotencyKey?: string
  signal?: AbortSignal
}

export interface Client {
  get<Path extends PathOf<'get'>>(path: Path, ...input: Arguments<Path, 'get'>): Promise<Output<Path, 'get'>>
  post<Path extends PathOf<'post'>>(
    path: Path,
    ...input: Arguments<Path, 'post'>
  ): Promise<Output<Path, 'post'>>
  put<Path extends PathOf<'put'>>(path: Path, ...input: Arguments<Path, 'put'>): Promise<Output<Path, 'put'>>
  patch<Path extends PathOf<'patch'>>(
    path: Path,
    ...input: Arguments<Path, 'patch'>
  ): Promise<Output<Path, 'patch'>>
  delete<Path extends PathOf<'delete'>>(path: Path, ...input: Arguments<Path, 'delete'>): Promise<void>
  /**
   * The response itself, for its headers or a file. Throws `Problem` like the others. You read its body: when the connection
   * is lost meanwhile, reading throws.
   */
  send(method: Method, path: string, input?: AnyInput): Promise<Response>
  /** Everything in a list, page by page. */
  pages<Path extends ListPath>(
    path: Path,
    ...input: Arguments<Path, 'get'>
  ): AsyncGenerator<ItemOf<Path>, void>
  /** Events as they happen, until `signal`. To go on later, keep the `position` of the last one. */
  events(options: EventOptions): AsyncGenerator<Event, void>
  /** The same in pages. Keep `meta.after` in place of a position: it also passes over what is left out. */
  eventPages(options: EventOptions): AsyncGenerator<EventPage, void>
  /** Uploads a file. Its id goes into `attachments` of a ticket or message. */
  upload(name: string, file: Uint8Array | Blob | string): Promise<Output<'/attachments', 'post'>>
}

/** Paths with pages. */
type ListPath = {
  [Path in PathOf<'get'>]: Output<Path, 'get'> extends { data: object[]; meta: { nextCursor?: string } }
    ? Path
    : never
}[PathOf<'get'>]
type ItemOf<Path extends ListPath> = Output<Path, 'get'> extends { data: (infer Item)[] } ? Item : never

/**
 * A client of one organization. Requests are sent again after 429, 503, other faults of the server, and lost connections,
 * with the pause that `Retry-After` says. A POST has an `Idempotency-Key`, so that it is carried out once. Throws `Problem`
 * for an answer of 400 or more, and what `fetch` throws when the server can't be reached.
 */
export function createClient({
  url,
  key,
  maxTries = MAX_TRIES,
  fetch = globalThis.fetch,
}: ClientOptions): Client {
  const base = `${url.replace(/(\/v1)?\/*$/, '')}/v1`

  async function ask<Answer>(
    method: Method,
    path: string,
    input: AnyInput,
    read: (response: Response) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const { params = {}, query = {}, body, signal } = input
    const address = base + withParams(path, params) + queryOf(query)
    const isFile = body instanceof Uint8Array || body instanceof Blob
    const headers: Record<string, string> = { authorization: `Bearer ${key}` }
    if (body !== undefined) headers['content-type'] = isFile ? 'application/octet-stream' : 'application/json'
    if (method === 'post') headers['idempotency-key'] = input.idempotencyKey ?? crypto.randomUUID()
    Object.assign(headers, input.headers)
    const init = {
      method: method.toUpperCase(),
      headers,
      ...(body !== undefined && { body: isFile ? (body as BodyInit) : JSON.stringify(body) }),
    }
    for (let tries = 1; ; tries += 1) {
      const tried = await attempt(tries)
      if ('answer' in tried) return tried.answer
      await sleep(tried.pauseMs, signal)
    }

    /** Returns a pause when it should be sent again. */
    async function attempt(tries: number): Promise<{ answer: Answer } | { pauseMs: number }> {
      const backoff =
        Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
      const timeout = AbortSignal.timeout(TIMEOUT_MS)
      let problem: Problem
      try {
        const until = signal ? AbortSignal.any([signal, timeout]) : timeout
        const response = await fetch(address, { ...init, signal: until })
        if (response.ok || response.status === 304) return { answer: await read(response) }
        problem = new Problem(response, await response.text())
      } catch (error) {
        if (signal?.aborted || tries >= maxTries) throw error
        return { pauseMs: backoff }
      }
      if (!isRetried(problem) || tries >= maxTries) throw problem
      return { pauseMs: retryAfterMs(problem.headers) ?? backoff }
    }
  }

  async function json(method: Method, path: string, input: AnyInput = {}) {
    const text = await ask(method, path, input, (response) => response.text())
    return text === '' ? undefined : JSON.parse(text)
  }

  async function* eventPages({ signal, wait = LONGEST_WAIT_S, ...given }: EventOptions) {
    let { after } = given
    while (!signal?.aborted) {
      const query = { limit: EVENTS_PER_PAGE, ...given, after, wait }
      const page: EventPage = await json('get', '/events', { query, ...(signal && { signal }) })
      yield page
      after = page.meta.after
      if (wait === 0 && after === page.meta.newest) return
    }
  }

  return {
    get: (path, input?) => json('get', path, input),
    post: (path, input?) => json('post', path, input),
    put: (path, input?) => json('put', path, input),
    patch: (path, input?) => json('patch', path, input),
    delete: (path, input?) => json('delete', path, input),
    send: (method, path, input = {}) => ask(method, path, input, (response) => response),
    async *pages(path, input?: AnyInput) {
      let cursor: string | undefined = ''
      while (cursor !== undefined) {
        const query = { per_page: PER_PAGE, ...input?.query, cursor }
        const page: { data: never[]; meta: { nextCursor?: string } } = await json('get', path, {
          ...input,
          query,
        })
        yield* page.data
        cursor = page.meta.nextCursor
      }
    },
    async *events(options) {
      for await (const page of eventPages(options)) yield* page.data
    },
    eventPages,
    upload: (name, file) => {
      const body = typeof file === 'string' ? new TextEncoder().encode(file) : file
      return json('post', '/attachments', { query: { name }, body })
    },
  }
}

/** The first request is still running when a connection was lost: its answer comes later. */
function isRetried({ status, code }: Problem): boolean {
  return RETRIED.includes(status) || code === 'idempotency_in_progress'
}

/** Seconds or a date (RFC 9110). */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (!value) return undefined
  const pause = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(pause) ? Math.max(pause, 0) : undefined
}

function withParams(path: string, params: object): string {
  const values = new Map(Object.entries(params))
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))))
}

function queryOf(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

import { pause, systemClock, within } from '../clock.ts'
import { AppError } from '../errors.ts'
import { describeS3, openS3, reasonOfS3, type S3Place } from '../network/s3.ts'

/** For the first byte of an answer. */
const ANSWER_MS = 10_000
/** Bytes in a second that an upload must take at least. */
const SLOWEST_UPLOAD = 256 * 1024
/** Without a byte for so long, a connection counts as broken. */
const MAX_SILENCE_MS = 15_000
const ATTEMPTS = 3
const FIRST_PAUSE_MS = 100
/** What a service answers that is busy, or whose connection to its client is slow. */
const TRY_AGAIN = /^(408|429|RequestTimeout|SlowDown|TooManyRequests)$/
const NAME = /^([0-9a-f]{2})\/(\1[0-9a-f]{62})$/

/** Files on S3. Everything throws `BucketError` when the bucket can't be reached or used. */
export interface Bucket {
  /** `s3://bucket/prefix`. */
  where: string
  /** Uploads a file with this hash. It is there only once all of it is. */
  put(hash: string, path: string): Promise<void>
  /** The bytes, for as long as some keep coming. Undefined when it isn't there. */
  get(hash: string): Promise<AsyncIterable<Uint8Array> | undefined>
  has(hash: string): Promise<boolean>
  /** Asks for the deletion until `by`, on the monotonic clock of the system, and not later. */
  delete(hash: string, by: number): Promise<void>
  /** All files in ascending order, a page at a time. Times are in milliseconds since 1970. */
  list(): AsyncIterable<{ hash: string; storedAt: number }[]>
  /** Lists, writes, reads, and deletes. Returns whether the bucket keeps the versions of what is deleted. */
  probe(): Promise<{ keepsVersions: boolean }>
}

/** The bucket doesn't answer, or refuses. `isRefusal`: it did answer, so that the settings are wrong. */
export class BucketError extends AppError {
  override name = 'BucketError'
  constructor(
    /** In one sentence, for the operator. */
    readonly reason: string,
    readonly isRefusal: boolean,
    override readonly cause?: unknown,
  ) {
    const detail = 'The server’s file storage can’t be reached. Try again.'
    super(503, 'storage_unavailable', detail, { headers: { 'retry-after': '5' } })
  }
}

export function openBucket(place: S3Place): Bucket {
  const client = openS3(place)
  const prefix = place.prefix && `${place.prefix}/`
  const where = describeS3(place)
  const nameOf = (hash: string) => `${hash.slice(0, 2)}/${hash}`

  /**
   * Sends requests by signed URLs, because the client has no time limits, and doesn't show headers. All of them can be repeated. The
   * answer is a success or 404.
   */
  async function request(
    method: 'GET' | 'PUT' | 'HEAD' | 'DELETE',
    name: string,
    { body, by }: { body?: Blob; by?: number } = {},
  ): Promise<Response> {
    const { monotonic, after } = systemClock
    for (let attempt = 1; ; attempt += 1) {
      if (by !== undefined && monotonic() > by) throw new BucketError(`${where} is too slow.`, false)
      const limit = new AbortController()
      const limitMs = ANSWER_MS + ((body?.size ?? 0) / SLOWEST_UPLOAD) * 1_000
      const cancelTimer = after(limitMs, () => limit.abort(new Error(`no answer in ${limitMs / 1_000} s`)))
      let fault: BucketError
      try {
        const url = client.presign(prefix + name, { method, expiresIn: 900 })
        const response = await fetch(url, {
          method,
          signal: limit.signal,
          redirect: 'manual',
          ...(body && { body }),
        })
        if (response.ok) return response
        const code = /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]
        if (response.status === 404 && code !== 'NoSuchBucket') return response
        const isRefusal =
          response.status < 500 && ![response.status, code].some((one) => TRY_AGAIN.test(`${one}`))
        fault = new BucketError(`${where} can't be used: ${code ?? response.status}.`, isRefusal)
      } catch (cause) {
        fault = new BucketError(`${where} can't be reached: ${reasonOfS3(cause)}.`, false, cause)
      } finally {
        cancelTimer()
      }
      if (fault.isRefusal || attempt === ATTEMPTS) throw fault
      await pause(FIRST_PAUSE_MS * 4 ** (attempt - 1))
    }
  }

  async function listPage(startAfter: string | undefined) {
    try {
      const page = client.list({ prefix, ...(startAfter !== undefined && { startAfter }) })
      return await within(ANSWER_MS, page, () => {
        throw new Error('no answer')
      })
    } catch (cause) {
      const isRefusal = /^(NoSuchBucket|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch)/.test(
        reasonOfS3(cause),
      )
      const fault = isRefusal ? 'used' : 'reached'
      throw new BucketError(`${where} can't be ${fault}: ${reasonOfS3(cause)}.`, isRefusal, cause)
    }
  }

  return {
    where,
    async put(hash, path) {
      await drain(await request('PUT', nameOf(hash), { body: Bun.file(path) }))
    },
    async get(hash) {
      const response = await request('GET', nameOf(hash))
      return response.ok ? withoutSilence(response.body ?? new Blob([]).stream()) : undefined
    },
    async has(hash) {
      return (await request('HEAD', nameOf(hash))).ok
    },
    async delete(hash, by) {
      await drain(await request('DELETE', nameOf(hash), { by }))
    },
    async *list() {
      for (let startAfter: string | undefined; ; ) {
        const page = await listPage(startAfter)
        const found = page.contents ?? []
        yield found.flatMap(({ key, lastModified }) => {
          const hash = NAME.exec(key.slice(prefix.length))?.[2]
          return hash ? [{ hash, storedAt: Date.parse(lastModified ?? '') }] : []
        })
        startAfter = found.at(-1)?.key
        if (!page.isTruncated || startAfter === undefined) return
      }
    },
    async probe() {
      const name = `probe-${crypto.randomUUID()}`
      await listPage(undefined)
      const written = await request('PUT', name, { body: new Blob(['Bellhop']) })
      await drain(written)
      await drain(await request('GET', name))
      await drain(await request('DELETE', name))
      return { keepsVersions: (written.headers.get('x-amz-version-id') ?? 'null') !== 'null' }
    },
  }
}

async function* withoutSilence(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = bytes.getReader()
  let isSilent = false
  try {
    for (;;) {
      const cancelTimer = systemClock.after(MAX_SILENCE_MS, () => {
        isSilent = true
        void reader.cancel().catch(() => {})
      })
      const { done, value } = await reader.read().finally(cancelTimer)
      // A read that is canceled ends like the last one.
      if (isSilent) throw new Error(`no bytes in ${MAX_SILENCE_MS / 1_000} s`)
      if (done) return
      yield value
    }
  } catch (cause) {
    throw new BucketError(`A download ended early: ${reasonOfS3(cause)}.`, false, cause)
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Otherwise, the connection isn't used again. */
async function drain(response: Response): Promise<void> {
  await response.arrayBuffer()
}

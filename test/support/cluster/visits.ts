import { makeCertificates } from '../certificates.ts'
import type { Release } from './next-release.ts'
import type { Tenant } from './writers.ts'

const PAUSE_MS = 50
/** Files that each page loads before it is closed. */
const FILES = 40

export interface Visits {
  /** Requests that were not answered, or with a fault of the server. */
  failed: string[]
  /** Files that no server gave, although one that has them was running all the while. */
  missing: string[]
  /** How many files the opened pages of each release loaded, by its version. */
  loaded: Map<string, number>
  /** Waits for the last answers. */
  stop(): Promise<void>
}

/**
 * Browsers that open pages and load their files, some of them only later, and programs that read events between. A page of
 * which no server has the files is loaded again, as the pages do themselves. `url` is that of a proxy with HTTPS.
 */
export async function startVisits(
  url: string,
  { key }: Tenant,
  { count, releases, isServed }: { count: number; releases: Release[]; isServed(release: Release): boolean },
): Promise<Visits> {
  const { ca } = await makeCertificates()
  const failed: string[] = []
  const missing: string[] = []
  const loaded = new Map<string, number>()
  let isOver = false

  async function get(path: string, cookies: string[]): Promise<{ status: number; text: string }> {
    try {
      const headers = { authorization: `Bearer ${key}`, cookie: cookies.join('; ') }
      const answer = await fetch(url + path, { headers, tls: { ca } })
      cookies.push(...answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? ''))
      const text = await answer.text()
      return { status: answer.status, text }
    } catch (error) {
      failed.push(`${path}: ${error}`)
      return { status: 0, text: '' }
    }
  }

  async function visit(cookies: string[]): Promise<void> {
    const { text } = await get('/sign-in', cookies)
    const release = releases.find(({ assets }) => assets.some((path) => text.includes(`"${path}"`)))
    if (!release) return void failed.push(`/sign-in: ${text.slice(0, 200)}`)
    for (let file = 0; file < FILES && isServed(release) && !isOver; file += 1) {
      const path = release.assets[Math.floor(Math.random() * release.assets.length)] ?? ''
      const { status } = await get(path, cookies)
      if (status === 200) loaded.set(release.version, (loaded.get(release.version) ?? 0) + 1)
      else if (isServed(release)) missing.push(`${release.version} ${path}: ${status}`)
      const listed = await get('/v1/events?limit=5', cookies)
      if (listed.status >= 400) failed.push(`/v1/events: ${listed.status} ${listed.text.slice(0, 200)}`)
      await Bun.sleep(Math.random() * 2 * PAUSE_MS)
    }
  }

  const visiting = Promise.all(
    Array.from({ length: count }, async () => {
      // What proxies choose its server by.
      while (!isOver) await visit([`__Host-bellhop_session=${crypto.randomUUID()}`])
    }),
  )
  // Reported by `stop`.
  visiting.catch(() => {})
  return {
    failed,
    missing,
    loaded,
    async stop() {
      isOver = true
      await visiting
    },
  }
}

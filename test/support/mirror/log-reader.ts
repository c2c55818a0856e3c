import type { Client, Output } from '../../../release/clients/typescript/src/bellhop.ts'

type Events = Output<'/events', 'get'>
interface Filter {
  types?: string
  limit: number
  wait: number
}

/** Reads a log of events with a filter for as long as it is kept, and says what it has missed. */
export async function readLog(bellhop: Client, filter: Filter) {
  const { newestEvent } = await bellhop.get('/me')
  const end = new AbortController()
  const seen: string[] = []
  let after = newestEvent
  const reading = (async () => {
    while (!end.signal.aborted) {
      const page: Events = await bellhop.get('/events', {
        query: { ...filter, after },
        signal: end.signal,
      })
      seen.push(...page.data.map(({ position }) => position))
      after = page.meta.after
    }
  })().catch((error) => {
    if (!end.signal.aborted) throw error
  })
  return {
    stop: () => end.abort(),
    /** Compares what was read with the log, up to the last `meta.after`. Events that came too late are `missed`. */
    async end(): Promise<{ read: number; missed: string[]; invented: string[] }> {
      end.abort()
      await reading
      const inLog: string[] = []
      for (let from = newestEvent; ; ) {
        const { data, meta } = await bellhop.get('/events', {
          query: { after: from, limit: 1_000, ...(filter.types && { types: filter.types }) },
        })
        inLog.push(...data.map(({ position }) => position))
        from = meta.after
        if (from === meta.newest) break
      }
      const wanted = inLog.filter((position) => numberOf(position) <= numberOf(after))
      const [expected, found] = [new Set(wanted), new Set(seen)]
      return {
        read: seen.length,
        missed: [...expected.difference(found)],
        invented: seen.filter((position, place) => position !== wanted[place]),
      }
    },
  }
}

function numberOf(position: string): number {
  return Number(position.split('.')[1])
}

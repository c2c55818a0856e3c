import { SQL } from 'bun'
import { systemClock } from '../clock.ts'

/** How long a query or a unit of work may wait for the server. A request is answered within 10 seconds. */
const MAX_WAIT_MS = 8_000
/** After this, what still runs on replaced connections has been given up by those who wait for it. */
const CLOSE_AFTER_MS = 10_000
const REPLACE_EVERY_MS = 5_000
/** A server that hangs can't keep this one from stopping. */
const CLOSE_TIMEOUT_S = 2

/**
 * Connections to a server that may stop answering: it hangs, or the network swallows packets. A query that waits for too
 * long is given up with an error, and new connections take the place of those that may be dead. So the service recovers
 * when the server does.
 */
export function openPool(url: string, options: SQL.Options): SQL {
  let client = new SQL(url, options)
  let replacedAt = Number.NEGATIVE_INFINITY

  function replace(): void {
    const now = systemClock.monotonic()
    if (now - replacedAt < REPLACE_EVERY_MS) return
    replacedAt = now
    const old = client
    client = new SQL(url, options)
    systemClock.after(CLOSE_AFTER_MS, () => void old.close({ timeout: 0 }).catch(() => {}))
  }

  async function inTime<T>(running: PromiseLike<T>): Promise<T> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>()
    const cancelTimer = systemClock.after(MAX_WAIT_MS, () => {
      replace()
      reject(silent())
    })
    try {
      return await Promise.race([running, tooLate])
    } finally {
      cancelTimer()
    }
  }

  /** Drizzle awaits a query, or its values. */
  function timed(query: SQL.Query<unknown>): SQL.Query<unknown> {
    return new Proxy(query, {
      get(running, name) {
        if (name === 'values') return () => inTime(running.values())
        if (name === 'then')
          return (...then: Parameters<Promise<unknown>['then']>) => inTime(running).then(...then)
        return Reflect.get(running, name)
      },
    })
  }

  return new Proxy(client, {
    get(_, name) {
      if (name === 'unsafe') return (...query: Parameters<SQL['unsafe']>) => timed(client.unsafe(...query))
      if (name === 'begin')
        return (work: SQL.TransactionContextCallback<unknown>) => inTime(client.begin(work))
      if (name === 'close') return () => client.close({ timeout: CLOSE_TIMEOUT_S })
      return Reflect.get(client, name)
    },
    apply: (_, _this, query) => inTime<unknown>(Reflect.apply(client, undefined, query)),
  })
}

/** With a code like those of Bun, so that it counts as a lost connection. */
function silent(): Error {
  return Object.assign(new Error("The database server doesn't answer."), {
    code: 'ERR_POSTGRES_CONNECTION_SILENT',
  })
}

import { SQL } from 'bun'
import { systemClock, within } from '../../clock.ts'
import { storageCode } from '../database.ts'

/**
 * After this time without a result, a query checks whether the server still responds. A request is refused within 10
 * seconds.
 */
const ASK_AFTER_MS = 5_000
const MAX_ASK_MS = 3_000
/** How long a query waits by default while the server responds to others. Its own connection may be dead. */
const MAX_WAIT_MS = 120_000
/** Replaced connections are closed after this time, when no one waits for their queries anymore. */
const CLOSE_AFTER_MS = 10_000
const REPLACE_EVERY_MS = 5_000
/** They end at once, and the address may lead to the new primary any time. */
const REPLACE_READ_ONLY_EVERY_MS = 1_000
/** A database server that hangs must not keep this process from stopping. */
const CLOSE_TIMEOUT_S = 2
/** A connection that is begun while the server is silent stays dead, and queries wait for it also when others get through. */
const CONNECT_TIMEOUT_S = 10

const SET_TIMEOUT = "select set_config('statement_timeout', cast($1 as text), false)"
/** The server became a standby, or is one: a change isn't possible on this connection. */
const READ_ONLY = '25006'
/** By URL: how to replace the connections of each pool. */
const pools = new Map<string, Set<(everyMs: number) => void>>()

export const SILENT = 'ERR_POSTGRES_CONNECTION_SILENT'

export interface Pool extends SQL {
  /** Runs `work` on a connection that nothing else uses meanwhile. */
  hold<T>(work: (connection: SQL) => Promise<T>): Promise<T>
}

/**
 * Connections to a database server that may stop responding: it hangs, or the network drops packets. While the server
 * responds to nothing, waiting queries fail and new connections replace those that may be dead. So the service recovers
 * when the server does. They also replace those on which nothing can be changed. Waits for a server that is only slow.
 * The server ends each query after `statementTimeoutMs`. A query that takes longer than `maxWaitMs` fails, and its connection
 * counts as dead; it is checked every 5 seconds.
 */
export function openPool(
  url: string,
  {
    statementTimeoutMs,
    maxWaitMs = MAX_WAIT_MS,
    ...more
  }: SQL.Options & { statementTimeoutMs?: number; maxWaitMs?: number },
): Pool {
  const options = { connectionTimeout: CONNECT_TIMEOUT_S, ...more }
  let client = new SQL(url, options)
  let replacedAt = Number.NEGATIVE_INFINITY
  const others = pools.get(url) ?? new Set()
  pools.set(url, others.add(replace))
  /** One check for all waiting queries. */
  let asking: Promise<boolean> | undefined

  function replace(everyMs = REPLACE_EVERY_MS): void {
    const now = systemClock.monotonic()
    if (now - replacedAt < everyMs) return
    replacedAt = now
    const old = client
    client = new SQL(url, options)
    systemClock.after(CLOSE_AFTER_MS, () => void old.close({ timeout: 0 }).catch(() => {}))
  }

  function close(): Promise<void> {
    others.delete(replace)
    return client.close({ timeout: CLOSE_TIMEOUT_S })
  }

  async function inTime<T>(running: PromiseLike<T>): Promise<T> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>()
    const until = systemClock.monotonic() + maxWaitMs
    let cancelTimer = systemClock.after(ASK_AFTER_MS, ask)
    let isOver = false

    async function ask(): Promise<void> {
      asking ??= isAnswering(url).finally(() => {
        asking = undefined
      })
      const isSlow = await asking
      if (isOver) return
      if (isSlow && systemClock.monotonic() < until) {
        cancelTimer = systemClock.after(ASK_AFTER_MS, ask)
        return
      }
      replace()
      reject(silent())
    }

    try {
      return await Promise.race([running, tooLate])
    } catch (reason) {
      // After a failover, the address leads to the new primary. Reads would go on at the old one.
      if (storageCode(reason) === READ_ONLY)
        for (const other of pools.get(url) ?? []) other(REPLACE_READ_ONLY_EVERY_MS)
      throw reason
    } finally {
      isOver = true
      cancelTimer()
    }
  }

  async function hold<T>(work: (connection: SQL) => Promise<T>): Promise<T> {
    return inTime(holdOne(client, work))
  }

  /** Drizzle awaits the query itself or its `values()`. */
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

  /** PgBouncer refuses such a setting when it comes with the connection, so each query brings it. */
  function limited(query: SQL.Query<unknown>, again: (on: SQL) => SQL.Query<unknown>): SQL.Query<unknown> {
    const run = (start: (fresh: SQL.Query<unknown>) => SQL.Query<unknown>) =>
      hold(async (connection) => {
        const set = connection.unsafe(SET_TIMEOUT, [String(statementTimeoutMs)]).values()
        const [, result] = await Promise.all([set, start(again(connection))])
        return result
      })
    return new Proxy(query, {
      get(_, name) {
        if (name === 'values') return () => run((fresh) => fresh.values())
        if (name === 'then')
          return (...then: Parameters<Promise<unknown>['then']>) => run((fresh) => fresh).then(...then)
        return Reflect.get(query, name)
      },
    })
  }

  return new Proxy(Object.assign(client, { hold }), {
    get(_, name) {
      if (name === 'hold') return hold
      if (name === 'unsafe')
        return (...given: Parameters<SQL['unsafe']>) => {
          const query = client.unsafe(...given)
          return statementTimeoutMs ? limited(query, (on) => on.unsafe(...given)) : timed(query)
        }
      if (name === 'close') return close
      return Reflect.get(client, name)
    },
    apply: (_, _this, query) => inTime<unknown>(Reflect.apply(client, undefined, query)),
  })
}

async function holdOne<T>(client: SQL, work: (connection: SQL) => Promise<T>): Promise<T> {
  const connection = await client.reserve()
  try {
    return await work(connection)
  } finally {
    connection.release()
  }
}

/** Whether the server responds on a new connection. A server that is only slow, or holds a lock, does. */
async function isAnswering(url: string): Promise<boolean> {
  const client = new SQL(url, { max: 1 })
  const answered = client.unsafe('select 1').then(
    () => true,
    () => false,
  )
  try {
    return await within(MAX_ASK_MS, answered, () => false)
  } finally {
    void client.close({ timeout: 0 }).catch(() => {})
  }
}

/** With a code like those of Bun, so that it counts as a lost connection. */
function silent(): Error {
  return Object.assign(new Error("The database server doesn't answer."), {
    code: SILENT,
  })
}

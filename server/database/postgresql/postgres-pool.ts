import { SQL } from 'bun'
import { systemClock, within } from '../../clock.ts'
import { isConnectionLost, storageCode } from '../database.ts'

/** After this time without a result, a query checks whether the server still responds, and then every few seconds. */
const ASK_AFTER_MS = 1_000
const ASK_EVERY_MS = 5_000
/** Also a busy server accepts a connection in this time. With the time above, a request is refused in three seconds. */
const MAX_ASK_MS = 1_500
/** How long it counts as away without being asked again: a request may make several queries. */
const AWAY_MS = 500
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
const STARTING_OR_STOPPING = /^57P/
/** A query was sent, and what became of it is unknown. */
export const SILENT = 'ERR_POSTGRES_CONNECTION_SILENT'
/** Nothing was sent. */
const AWAY = 'ERR_POSTGRES_CONNECTION_AWAY'

/** What all pools of this process know of a database server. */
interface Server {
  /** How to replace the connections of each pool. */
  pools: Set<(everyMs: number) => void>
  /** Whether it didn't respond when it was asked last. */
  isAway: boolean
  /** One check for all waiting queries. */
  asking: Promise<boolean> | undefined
}

const servers = new Map<string, Server>()

export interface Pool extends SQL {
  /** Runs `work` on a connection that nothing else uses meanwhile. */
  hold<T>(work: (connection: SQL) => Promise<T>): Promise<T>
}

/**
 * Connections to a database server that may stop responding: it hangs, the network drops packets, or a proxy ends each
 * connection. While the server responds to nothing, waiting queries fail, others are sent only after it has responded, and
 * new connections replace those that may be dead. So the service recovers when the server does. They also replace those on
 * which nothing can be changed. Waits for a server that is only slow. The server ends each query after `statementTimeoutMs`.
 * A query that takes longer than `maxWaitMs` fails, and its connection counts as dead.
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
  const server = servers.get(url) ?? { pools: new Set(), isAway: false, asking: undefined }
  servers.set(url, server)
  server.pools.add(replace)

  function replace(everyMs = REPLACE_EVERY_MS): void {
    const now = systemClock.monotonic()
    if (now - replacedAt < everyMs) return
    replacedAt = now
    const old = client
    client = new SQL(url, options)
    systemClock.after(CLOSE_AFTER_MS, () => void old.close({ timeout: 0 }).catch(() => {}))
  }

  function close(): Promise<void> {
    server.pools.delete(replace)
    return client.close({ timeout: CLOSE_TIMEOUT_S })
  }

  async function inTime<T>(start: () => PromiseLike<T>): Promise<T> {
    if (server.isAway && !(await isAnswering(url, server))) throw unreachable(AWAY)
    const { promise: tooLate, reject } = Promise.withResolvers<never>()
    const until = systemClock.monotonic() + maxWaitMs
    let cancelTimer = systemClock.after(ASK_AFTER_MS, ask)
    let isOver = false

    async function ask(): Promise<void> {
      const isSlow = await isAnswering(url, server)
      if (isOver) return
      const left = until - systemClock.monotonic()
      if (isSlow && left > 0) {
        cancelTimer = systemClock.after(Math.min(ASK_EVERY_MS, left), ask)
        return
      }
      replace()
      reject(unreachable(SILENT))
    }

    try {
      return await Promise.race([start(), tooLate])
    } catch (reason) {
      // After a failover, the address leads to the new primary. Reads would go on at the old one.
      if (storageCode(reason) === READ_ONLY)
        for (const replaceIn of server.pools) replaceIn(REPLACE_READ_ONLY_EVERY_MS)
      throw reason
    } finally {
      isOver = true
      cancelTimer()
    }
  }

  async function hold<T>(work: (connection: SQL) => Promise<T>): Promise<T> {
    return inTime(() => holdOne(client, work))
  }

  /** PgBouncer refuses a limit of the time when it comes with the connection, so each query brings it. */
  function run<T>(start: (on: SQL) => PromiseLike<T>): Promise<T> {
    if (!statementTimeoutMs) return inTime(() => start(client))
    return hold(async (connection) => {
      const set = connection.unsafe(SET_TIMEOUT, [String(statementTimeoutMs)]).values()
      const [, result] = await Promise.all([set, start(connection)])
      return result
    })
  }

  /** A query that is begun once it is awaited. Drizzle awaits it or its `values()`. */
  function query(begin: (on: SQL) => SQL.Query<unknown>): SQL.Query<unknown> {
    let running: Promise<unknown> | undefined
    function once(start: typeof begin | ((on: SQL) => Promise<unknown>)): Promise<unknown> {
      running ??= run<unknown>(start)
      return running
    }
    return new Proxy({} as SQL.Query<unknown>, {
      get(_, name) {
        if (name === 'values') return () => once((on) => begin(on).values())
        if (name === 'then')
          return (...then: Parameters<Promise<unknown>['then']>) => once(begin).then(...then)
        return undefined
      },
    })
  }

  return new Proxy(Object.assign(client, { hold }), {
    get(_, name) {
      if (name === 'hold') return hold
      if (name === 'unsafe')
        return (...given: Parameters<SQL['unsafe']>) => query((on) => on.unsafe(...given))
      if (name === 'close') return close
      return Reflect.get(client, name)
    },
    apply: (_, _this, given) => inTime<unknown>(() => Reflect.apply(client, undefined, given)),
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

function isAnswering(url: string, server: Server): Promise<boolean> {
  server.asking ??= within(MAX_ASK_MS, askServer(url, server), () => false).then((answers) => {
    server.isAway = !answers
    systemClock.after(answers ? 0 : AWAY_MS, () => {
      server.asking = undefined
    })
    return answers
  })
  return server.asking
}

/** Whether it responds on a new connection. A server that is only slow, or holds a lock, does. */
async function askServer(url: string, server: Server): Promise<boolean> {
  const client = new SQL(url, { max: 1 })
  const close = () => void client.close({ timeout: 0 }).catch(() => {})
  const cancelTimer = systemClock.after(CLOSE_AFTER_MS, close)
  // To be refused is an answer, for example because there are too many connections. To start or to stop isn't.
  const answers = await client.unsafe('select 1').then(
    () => true,
    (reason) => !isConnectionLost(reason) && !STARTING_OR_STOPPING.test(storageCode(reason)),
  )
  cancelTimer()
  close()
  // Also a late answer: a server that has just started is busy.
  if (answers) server.isAway = false
  return answers
}

/** With a code like those of Bun, so that it counts as a lost connection. */
function unreachable(code: typeof SILENT | typeof AWAY): Error {
  return Object.assign(new Error("The database server doesn't answer."), { code })
}

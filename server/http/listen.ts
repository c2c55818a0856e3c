import type { AnyElysia } from 'elysia'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { StartError } from '../errors.ts'
import type { Log } from '../log.ts'
import { countBodies } from '../requests/arriving-bodies.ts'
import { limitConnections } from './connection-limit.ts'

/** No limit here for bodies: json-body.ts and uploads.ts have their own, and respond with a problem document. */
const MAX_REQUEST_BYTES = Number.MAX_SAFE_INTEGER
const IDLE_TIMEOUT_S = 30
/** How long running requests may take to finish when the server stops. */
const SHUTDOWN_TIMEOUT_MS = 8_000

interface Listening {
  url: string
  /** Accepts no more connections and waits for running requests. Connections still open after 8 seconds are closed. */
  stop(): Promise<void>
}

/** Throws `StartError` when it can't listen on the address. */
export function listen(
  app: AnyElysia,
  {
    host,
    port,
    clock,
    log,
    trustProxy,
  }: Pick<Config, 'host' | 'port' | 'trustProxy'> & { clock: Clock; log: Log },
): Listening {
  try {
    app.listen({
      hostname: host,
      port,
      idleTimeout: IDLE_TIMEOUT_S,
      maxRequestBodySize: MAX_REQUEST_BYTES,
      development: false,
      // Otherwise a second server could listen on the same port and get half of the requests.
      reusePort: false,
    })
  } catch (error) {
    throw asStartError(error, host, port)
  }
  if (app.server) countBodies(app.server, clock)
  const limit = app.server ? limitConnections(app.server, { log, trustProxy }) : undefined
  const boundPort = app.server?.port ?? port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    async stop() {
      limit?.stop()
      await stop(app, clock)
    },
  }
}

async function stop(app: AnyElysia, clock: Clock): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const cancelTimer = clock.after(SHUTDOWN_TIMEOUT_MS, resolve)
  await Promise.race([app.stop(), timeout])
  cancelTimer()
  if (app.server) await app.stop(true)
}

function asStartError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is already in use. Set PORT to another port, or to 0 for a free one.`,
      )
    case 'EACCES':
      return new StartError(
        `This user isn't allowed to listen on port ${port}. Set PORT to a number from 1024 to 65535.`,
      )
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
    case 'ENOTFOUND':
      return new StartError(`HOST is "${host}". It must be an address of this machine.`)
    default:
      return error
  }
}

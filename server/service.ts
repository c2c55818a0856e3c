import http from 'node:http'
import { createKeyGuard } from './api-keys/require-api-key.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { type Deps, openDeps } from './deps.ts'
import { createApp } from './http/app.ts'
import type { Log } from './log.ts'

/** Addresses and headers are read this far, so that one that is too long gets a proper answer. Bytes. */
const MOST_HEADER_BYTES = 2 * 1024 * 1024
/** A backstop behind the limit of json-body.ts. */
const MOST_REQUEST_BYTES = 64 * 1024 * 1024
const IDLE_TIMEOUT_S = 30

export interface Service {
  url: string
  deps: Deps
  /** No new work, then what is under way is finished and everything is closed. */
  stop(): Promise<void>
}

/** Starts everything: database, HTTP, loops. Throws when the data or the port is taken. */
export async function startService(
  config: Config,
  given: { clock?: Clock; log?: Log } = {},
): Promise<Service> {
  const deps = await openDeps(config, { clock: given.clock ?? systemClock, log: given.log })
  const guard = createKeyGuard(deps)
  Object.assign(http, { maxHeaderSize: MOST_HEADER_BYTES })
  const app = createApp(deps, guard).listen({
    hostname: config.host,
    port: config.port,
    idleTimeout: IDLE_TIMEOUT_S,
    maxRequestBodySize: MOST_REQUEST_BYTES,
  })
  const port = app.server?.port ?? config.port
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return {
    url: config.publicUrl ?? `http://${host}:${port}`,
    deps,
    async stop() {
      await app.stop()
      await guard.stop()
      await deps.database.close()
    },
  }
}

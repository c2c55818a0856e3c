import http from 'node:http'
import type { AnyElysia } from 'elysia'
import type { Clock } from '../clock.ts'
import { StartError } from '../errors.ts'

/** Addresses and headers are read this far, so that one that is too long gets a proper answer. Bytes. */
const MOST_HEADER_BYTES = 2 * 1024 * 1024
/** None here: json-body.ts stops reading at its own limit and answers with a problem document. */
const MOST_REQUEST_BYTES = Number.MAX_SAFE_INTEGER
const IDLE_TIMEOUT_S = 30
/** How long requests under way may take to end once the server stops. */
const LONGEST_FAREWELL_MS = 8_000

export interface Listening {
  url: string
  /** Accepts nothing more and waits for requests under way; what is left then is cut off. */
  stop(): Promise<void>
}

/** Throws `StartError` when the address cannot be taken. */
export function listen(
  app: AnyElysia,
  { host, port, clock }: { host: string; port: number; clock: Clock },
): Listening {
  Object.assign(http, { maxHeaderSize: MOST_HEADER_BYTES })
  try {
    app.listen({
      hostname: host,
      port,
      idleTimeout: IDLE_TIMEOUT_S,
      maxRequestBodySize: MOST_REQUEST_BYTES,
      development: false,
      // Otherwise a second server could take the same port, and half of the requests.
      reusePort: false,
    })
  } catch (error) {
    throw refusal(error, host, port)
  }
  const taken = app.server?.port ?? port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    stop: () => stop(app, clock),
  }
}

async function stop(app: AnyElysia, clock: Clock): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>()
  const cancelTimer = clock.after(LONGEST_FAREWELL_MS, resolve)
  await Promise.race([app.stop(), tooLong])
  cancelTimer()
  if (app.server) await app.stop(true)
}

function refusal(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is already in use. Set PORT to another one, or to 0 for a free one.`,
      )
    case 'EACCES':
      return new StartError(
        `Port ${port} may not be taken by this user. Set PORT to a number from 1024 to 65535.`,
      )
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
    case 'ENOTFOUND':
      return new StartError(`HOST is "${host}". It should be an address of this machine.`)
    default:
      return error
  }
}

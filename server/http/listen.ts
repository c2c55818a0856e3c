import type { AnyElysia } from 'elysia'
import { type Clock, pause, within } from '../clock.ts'
import type { Config } from '../config.ts'
import { StartError } from '../errors.ts'
import type { Log } from '../log.ts'
import { yieldToEventLoop } from '../loop.ts'
import { type Certificate, readCertificate, watchCertificate } from '../network/certificate.ts'
import { countBodies } from '../requests/arriving-bodies.ts'
import { limitConnections } from './connection-limit.ts'

/** No limit here for bodies: json-body.ts and uploads.ts have their own, and respond with a problem document. */
const MAX_REQUEST_BYTES = Number.MAX_SAFE_INTEGER
const IDLE_TIMEOUT_S = 30
/** How long running requests may take to finish when the server stops. */
const SHUTDOWN_TIMEOUT_MS = 8_000
const DRAIN_CHECK_MS = 20
const SHORT_TURN_MS = 0.2
const MAX_TURNS_MS = 1_000

type Server = NonNullable<AnyElysia['server']>

interface Listening {
  url: string
  /** Serves HTTPS with the files as they are now. */
  reloadCertificate(): void
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
    tls,
    trustProxy,
  }: Pick<Config, 'host' | 'port' | 'tls' | 'trustProxy'> & { clock: Clock; log: Log },
): Listening {
  const replaced = new Set<Server>()
  let limit: { stop(): void } | undefined

  // Once plugins that load later are ready, Elysia would compose and register every route again and collect garbage. No
  // plugin loads later, and the first request would wait for this, so let Elysia wait forever.
  app.modules.root = new Promise(() => {})

  function open(onPort: number, certificate?: Certificate): void {
    app.listen({
      hostname: host,
      port: onPort,
      idleTimeout: IDLE_TIMEOUT_S,
      maxRequestBodySize: MAX_REQUEST_BYTES,
      development: false,
      // Otherwise a second server could listen on the same port and get half of the requests. See requireFreePort().
      reusePort: certificate !== undefined,
      ...(certificate && { tls: { ...certificate } }),
    })
    limit?.stop()
    if (!app.server) return
    countBodies(app.server, { clock, trustProxy })
    limit = limitConnections(app.server, { log, trustProxy })
  }

  /** Bun can't change the certificate of a server, so another one takes over the port. Running requests continue. */
  function renew(certificate: Certificate): void {
    const previous = app.server
    open(boundPort, certificate)
    if (!previous) return
    replaced.add(previous)
    previous.stop().then(
      () => replaced.delete(previous),
      () => {},
    )
  }

  const first = tls && readCertificate(tls, clock.now())
  try {
    if (first) requireFreePort(host, port)
    open(port, first)
  } catch (error) {
    throw asStartError(error, host, port)
  }
  const boundPort = app.server?.port ?? port
  const watched = tls && watchCertificate(tls, { now: clock.now, log, onRenewed: renew })
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    reloadCertificate: () => watched?.look(),
    async stop() {
      watched?.stop()
      limit?.stop()
      await stop(app, clock, [...replaced])
    },
  }
}

/** Throws when another program listens there, even one that would share the port. */
function requireFreePort(hostname: string, port: number): void {
  if (port === 0) return
  const probe = Bun.serve({
    hostname,
    port,
    reusePort: false,
    fetch: () => new Response(null, { status: 503 }),
  })
  probe.stop(true).catch(() => {})
}

async function stop(app: AnyElysia, clock: Clock, replaced: Server[]): Promise<void> {
  await readArrived(clock)
  const ended = Promise.all([app.stop(), ...replaced.map(drain)])
  await within<unknown>(SHUTDOWN_TIMEOUT_MS, ended, () => undefined, clock)
  // Not awaited: the promise of the first call is returned.
  for (const one of replaced) one.stop(true).catch(() => {})
  if (app.server) await app.stop(true)
}

/**
 * The listener takes connections with it whose request has arrived but isn't read yet. Each turn of the event loop accepts
 * and reads what is there, so it closes after a turn that was so short that hardly anything has arrived since.
 */
async function readArrived(clock: Clock): Promise<void> {
  const until = clock.monotonic() + MAX_TURNS_MS
  await yieldToEventLoop()
  for (let before = clock.monotonic(); before < until; before = clock.monotonic()) {
    await yieldToEventLoop()
    if (clock.monotonic() - before < SHORT_TURN_MS) return
  }
}

/** Waits for the requests of a server that another one has replaced. Its connections stay open after them. */
async function drain(server: Server): Promise<void> {
  while (server.pendingRequests > 0) {
    await pause(DRAIN_CHECK_MS)
  }
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

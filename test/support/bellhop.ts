import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PasswordCost } from '../../server/agents/password.ts'
import { createApiKey, type NewApiKey } from '../../server/api-keys/api-keys.ts'
import { type Clock, systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { startService } from '../../server/service.ts'
import { writeCaFile } from './certificates.ts'
import { folderOfProcess } from './folder.ts'
import { lookForToken, recordLines } from './token-leaks.ts'

export interface Bellhop {
  url: string
  deps: Deps
  /** The log, one JSON object per line. */
  logLines: string[]
  /** The token after `#` in the link that creates the first organization. */
  firstRunToken: string
  /** Creates an organization and a client with a full-access secret key. */
  organization(name?: string): Promise<Client>
  /** As before a stop when there are other servers. */
  retire(): Promise<void>
  stop(): Promise<void>
}

/** Calls the API as one organization. `path` is relative to `/v1`. */
export interface Client {
  orgId: string
  key: string
  call<Json = Record<string, unknown>>(method: string, path: string, more?: Call): Promise<Answer<Json>>
  /** A client of the same organization with another key. */
  withKey(input?: Partial<NewApiKey>): Promise<Client>
}

export interface Call {
  /** Sent as JSON. */
  body?: unknown
  /** Sent unchanged. */
  raw?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}

export interface Answer<Json> {
  status: number
  headers: Headers
  text: string
  json: Json
}

/** Makes sign-in fast. No test needs the real cost of a password hash. */
const CHEAP_PASSWORDS: PasswordCost = { memoryCost: 1_024, timeCost: 1 }

/** Nothing listens on the discard port (RFC 863): no test asks the real one. */
const NO_TELEGRAM = { BELLHOP_TELEGRAM_API: 'http://127.0.0.1:9' }

/** Starts the whole service in this process, with its own database and a free port. */
export async function startBellhop(
  given: { clock?: Clock; settings?: Record<string, string>; passwordCost?: PasswordCost } = {},
): Promise<Bellhop> {
  // Only tests may load it, and measuring and screenshots use `call` too.
  const { freshPlace } = await import('./engine.ts')
  const place = await freshPlace()
  const clock = given.clock ?? systemClock
  const { lines: logLines, write } = recordLines()
  const log = createLog('debug', false, write, clock.now)
  const settings = { ...NO_TELEGRAM, ...given.settings }
  const config = readConfig({ PORT: '0', ...place, ...settings })
  await writeSettings(config.dataFolder, settings)
  const service = await startService(config, {
    clock,
    log,
    passwordCost: given.passwordCost ?? CHEAP_PASSWORDS,
  })
  return {
    url: service.url,
    deps: service.deps,
    logLines,
    firstRunToken: service.firstRun.token,
    async organization(name = 'Acme') {
      const { id } = await createOrganization(service.deps, { name })
      return clientWithKey(service.deps, service.url, id, {})
    },
    retire: service.retire,
    stop: service.stop,
  }
}

/** For commands: they read what the server has from the data folder. */
export async function writeSettings(folder: string, settings: Record<string, string>): Promise<void> {
  const { BELLHOP_DATA: _, ...others } = settings
  const lines = Object.entries(others).map(([name, value]) => `${name}=${value}\n`)
  // As the server makes it: closed to other users.
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await Bun.write(join(folder, 'bellhop.env'), lines.join(''))
}

let shared: Promise<Bellhop> | undefined

/**
 * One service for all browser tests of the process that bring an organization of their own: the browser has its scripts
 * already. Nobody stops it.
 */
export function sharedBellhop(): Promise<Bellhop> {
  shared ??= startShared()
  return shared
}

/** Images of mails and receivers of webhooks are on this machine, and retries come at once. */
async function startShared(): Promise<Bellhop> {
  return startBellhop({
    settings: {
      BELLHOP_DATA: folderOfProcess('shared-data'),
      BELLHOP_MAIL_ALLOW: '127.0.0.0/8',
      BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
      BELLHOP_WEBHOOK_CA: await writeCaFile(),
      BELLHOP_WEBHOOK_RETRIES: '50ms,50ms,50ms',
    },
  })
}

export async function clientWithKey(
  deps: Deps,
  url: string,
  orgId: string,
  input: Partial<NewApiKey>,
): Promise<Client> {
  const { secret } = await createApiKey(deps, orgId, { name: 'Website', kind: 'secret', ...input })
  return {
    orgId,
    key: secret,
    call: (method, path, more) =>
      call(method, `${url}/v1${path}`, {
        ...more,
        headers: { authorization: `Bearer ${secret}`, ...more?.headers },
      }),
    withKey: (other = {}) => clientWithKey(deps, url, orgId, other),
  }
}

/** Sends one request. `body` is sent as JSON, `raw` unchanged. */
export async function call<Json>(method: string, url: string, more: Call = {}): Promise<Answer<Json>> {
  const hasBody = more.body !== undefined || more.raw !== undefined
  const response = await fetch(url, {
    method,
    headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...more.headers },
    body: more.raw ?? (more.body === undefined ? undefined : JSON.stringify(more.body)),
    redirect: 'manual',
  })
  const text = await response.text()
  lookForToken(`${method} ${url}`, text)
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  }
}

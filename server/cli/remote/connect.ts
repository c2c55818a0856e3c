import type { Command } from 'commander'
import { UsageError } from '../../errors.ts'
import { remoteSettings } from '../../machine/settings-file.ts'
import { FULL_VERSION } from '../../version.ts'
import { RemoteError } from './remote-error.ts'

const MAX_SHOWN_LENGTH = 200

/** The API of a server on this machine or another one. Nothing here opens a data folder. */
export interface Connection {
  /** Without `/v1` and without a slash at the end. */
  base: string
  key: string
  /** Sends a request below `/v1`. Throws `RemoteError` when there is no answer, whatever its status is. */
  ask(method: string, path: string, more?: RequestInit): Promise<Response>
}

/** Adds the option that `connect` takes. */
export function addUrl(command: Command): Command {
  return command.option('--url <url>', 'the address of the server (default: BELLHOP_URL)')
}

/** Throws `UsageError` when the key or the address is missing or malformed. */
export function connect(options: { url?: string }): Connection {
  const { key } = remoteSettings()
  if (!key) throw new UsageError('Set BELLHOP_KEY to a secret API key of your organization.')
  const base = addressOf(options)
  return {
    base,
    key,
    async ask(method, path, { headers, ...more } = {}) {
      const own = { authorization: `Bearer ${key}`, 'user-agent': `Bellhop/${FULL_VERSION}` }
      let response: Response
      try {
        response = await fetch(`${base}/v1${path}`, {
          method,
          headers: { ...own, ...Object.fromEntries(new Headers(headers)) },
          redirect: 'manual',
          ...more,
        })
      } catch (error) {
        throw new RemoteError(`Can't reach ${base}${reasonOf(error)}.`, { cause: error })
      }
      const { status } = response
      if (status < 300 || status >= 400 || status === 304) return response
      throw new RemoteError(`${base} redirects to ${response.headers.get('location')}. Use that address.`)
    },
  }
}

/** Throws `RemoteError` for a status of 400 or more, with a cause if the same request may succeed later. */
export async function requireSuccess(response: Response, base: string): Promise<Response> {
  const { status } = response
  if (status < 400) return response
  const cause = status === 429 || status >= 500 ? status : undefined
  throw new RemoteError(problemText(status, await response.text(), base), { cause })
}

/** The problem as one sentence, such as `404 not_found: There is no ticket with this id.` */
function problemText(status: number, body: string, base: string): string {
  const problem = problemOf(body)
  if (!problem) {
    const text = body.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_SHOWN_LENGTH)
    return `${base} answered ${status}, not as Bellhop does${text && `: ${text}`}`
  }
  const faults = problem.errors?.length === 1 ? [] : (problem.errors ?? [])
  const places = faults.map((one) => `${one.pointer ?? one.parameter}: ${one.detail}`)
  return [`${status} ${problem.code}: ${problem.detail}`, ...places].join(' ')
}

interface Problem {
  code: string
  detail: string
  errors?: { pointer?: string; parameter?: string; detail: string }[]
}

function problemOf(body: string): Problem | undefined {
  try {
    const problem = JSON.parse(body)
    return typeof problem.code === 'string' ? problem : undefined
  } catch {
    return undefined
  }
}

/**
 * The address of the server, without `/v1` and without a slash at the end. The specification's base address ends in `/v1`.
 * Throws `UsageError`.
 */
export function addressOf({ url = remoteSettings().url }: { url?: string }): string {
  if (!url)
    throw new UsageError('Name the server with --url or BELLHOP_URL, such as https://help.example.com.')
  const { protocol, href } = URL.parse(url) ?? { protocol: '', href: '' }
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new UsageError(`"${url}" isn't an address such as https://help.example.com.`)
  }
  return href.replace(/[?#].*$/, '').replace(/(\/v1)?\/*$/, '')
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && error.code === 'ConnectionRefused') return ': nothing listens there'
  const [message] = error.message.split('\n')
  return message ? `: ${message.replace(/\.$/, '')}` : ''
}

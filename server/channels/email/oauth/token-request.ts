import type { IncomingMessage } from 'node:http'
import { connectionErrorOf } from '../../../network/connection-errors.ts'
import { readAtMost } from '../../../network/http-get.ts'
import type { MailDeps } from '../mail-account.ts'

const MAX_REQUEST_MS = 20_000
const MAX_BODY_BYTES = 65_536
const MAX_WORDS_LENGTH = 300
const USUAL_LIFE_S = 3_600
/** Error codes that mean that a sign-in is no longer valid, from RFC 6749, section 5.2, and from OpenID Connect. */
const GRANT_REFUSED = ['invalid_grant', 'interaction_required', 'consent_required', 'login_required']
const CLIENT_REFUSED = ['invalid_client', 'unauthorized_client', 'invalid_scope']

/**
 * Why there is no access token. `refused`: an administrator must sign in again. `client`: the client ID or its secret is
 * wrong. `unavailable`: the provider didn't answer, and may do so later. The message is a sentence.
 */
export class TokenError extends Error {
  override name = 'TokenError'
  constructor(
    readonly reason: 'refused' | 'client' | 'unavailable',
    message: string,
  ) {
    super(message)
  }
}

export interface TokenAnswer {
  accessToken: string
  /** Absent if the one that was used stays valid. */
  refreshToken: string | undefined
  /** Seconds. */
  expiresIn: number
}

/** Asks a token endpoint (RFC 6749, section 3.2), under the address policy of mail servers. Throws `TokenError`. */
export async function requestTokens(
  deps: MailDeps,
  at: { url: string; provider: string },
  form: Record<string, string>,
): Promise<TokenAnswer> {
  const { status, body } = await post(deps, at, new URLSearchParams(form).toString())
  const answer = parse(body)
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = answer
  if (status === 200 && typeof accessToken === 'string' && accessToken !== '') {
    return {
      accessToken,
      refreshToken: typeof refreshToken === 'string' && refreshToken ? refreshToken : undefined,
      // It may be left out (RFC 6749, section 5.1).
      expiresIn: Number(expiresIn) || USUAL_LIFE_S,
    }
  }
  throw failureOf(at.provider, status, answer)
}

function failureOf(provider: string, status: number, answer: Record<string, unknown>): TokenError {
  const code = typeof answer.error === 'string' ? answer.error : ''
  const words = typeof answer.error_description === 'string' ? wordsOf(answer.error_description) : ''
  const said = words || code
  if (GRANT_REFUSED.includes(code)) {
    return new TokenError(
      'refused',
      `${provider} no longer accepts the sign-in of this mailbox. Sign in again.`,
    )
  }
  if (CLIENT_REFUSED.includes(code)) {
    return new TokenError(
      'client',
      `${provider} refused the OAuth client. Check its ID and secret${said && `: ${said}`}.`,
    )
  }
  return new TokenError(
    'unavailable',
    `${provider} returned no access token (status ${status})${said && `: ${said}`}.`,
  )
}

/** The first line, as one sentence without its full stop. Microsoft appends ids and times in further lines. */
function wordsOf(description: string): string {
  const [line = ''] = description.split(/[\r\n]/)
  return line
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, MAX_WORDS_LENGTH)
    .replace(/\.$/, '')
}

function parse(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function post(
  { clock, dialer }: MailDeps,
  { url, provider }: { url: string; provider: string },
  form: string,
): Promise<{ status: number; body: string }> {
  const { hostname, port, pathname } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  // Loaded when first used, so that the server starts faster.
  const { Agent, request: startRequest } = process.getBuiltinModule('node:https')
  return new Promise((resolve, reject) => {
    const fail = (words: string) => {
      cancelTimer()
      request.destroy()
      reject(
        new TokenError('unavailable', `${provider} couldn't be reached to renew the access token: ${words}.`),
      )
    }
    const cancelTimer = clock.after(MAX_REQUEST_MS, () => fail(`${host} doesn't answer`))
    const request = startRequest(
      {
        method: 'POST',
        host,
        port: port || 443,
        path: pathname,
        lookup: dialer.lookupFor(host),
        agent: new Agent(dialer.tlsOptions(host)),
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(form),
        },
      },
      (response) => {
        read(response).then(
          (body) => {
            cancelTimer()
            resolve({ status: response.statusCode ?? 0, body })
          },
          () => fail(`${host} sent an incomplete response`),
        )
      },
    )
    request.on('error', (error) => fail(`${host}, ${connectionErrorOf(error) ?? 'the connection was lost'}`))
    request.end(form)
  })
}

async function read(response: IncomingMessage): Promise<string> {
  const bytes = await readAtMost(response, MAX_BODY_BYTES)
  if (!bytes || !response.complete) throw new Error('The answer is too long, or incomplete.')
  return Buffer.from(bytes).toString('utf8')
}

import { createHash, randomBytes } from 'node:crypto'
import type { Server } from 'bun'
import { makeCertificates } from '../certificates.ts'
import { reservePort } from './ports.ts'

const CODE_LIFE_MS = 600_000
const VERIFIER = /^[\w.~-]{43,128}$/

export interface Tokens {
  accessToken: string
  refreshToken: string
}

/** A request to the token endpoint and the answer's status. */
export interface TokenRequest {
  form: Record<string, string>
  status: number
}

export type TokenFailure = 'hang' | { status: number; body: string }

interface Grant {
  user: string
  scope: string
  /** The one that is good now. */
  refreshToken: string
  accessTokens: Map<string, { expiresAt: number }>
}

interface Code {
  user: string
  scope: string
  redirectUri: string
  challenge: string
  expiresAt: number
}

export interface OauthServer {
  authorizationEndpoint: string
  tokenEndpoint: string
  revocationEndpoint: string
  /** For Dovecot, which appends a token; unencrypted. */
  tokenInfo: string
  clientId: string
  clientSecret: string
  /** All requests to the token endpoint, oldest first. */
  requests: TokenRequest[]
  /** Who is signed in where the browser asks for consent. The address is also the mailbox that the tokens open. */
  signIn(user: string): void
  /** The next consent is refused: `access_denied`. */
  refuseConsent(): void
  /** Opens an authorization address as a browser does, and answers where it is sent to. Rejects with the page's text when it shows one. */
  consent(authorizationUrl: string): Promise<URL>
  /** Tokens without a browser. */
  issue(user: string, scope?: string): Tokens
  /** The tokens of `owner` open the mailbox of `address` too. */
  share(owner: string, address: string): void
  /** Whether the token opens this user's mailbox now. */
  accepts(user: string, accessToken: string): boolean
  expireAccessTokens(): void
  /** As in the user's account settings: no token of theirs is good any more, refreshing is `invalid_grant`. */
  revoke(user: string): void
  /** The token endpoint fails the next `times` requests. A hang lasts until `stop`. */
  fail(failure: TokenFailure, times?: number): void
  heal(): void
  stop(): Promise<void>
  /** On the same ports, with the same tokens. */
  start(): void
}

/**
 * An OAuth 2 authorization server on 127.0.0.1 (RFC 6749, 7009 and 7636): HTTPS with a certificate of the private
 * authority, codes that are good once, PKCE by S256 only, refresh tokens that change at each use by default
 * (the one before is `invalid_grant`).
 */
export async function startOauthServer(
  given: {
    /** Otherwise every address is taken. */
    redirectUris?: string[]
    refreshTokens?: 'change' | 'stay'
    accessTokenSeconds?: number
    now?: () => number
  } = {},
): Promise<OauthServer> {
  const { redirectUris, refreshTokens = 'change', accessTokenSeconds = 3_600, now = Date.now } = given
  const { ca, valid } = await makeCertificates()
  const [port, plainPort] = [reservePort(), reservePort()]
  const url = `https://127.0.0.1:${port}`
  const codes = new Map<string, Code>()
  const grants = new Set<Grant>()
  const shared = new Map<string, string>()
  const failures: TokenFailure[] = []
  let user: string | undefined
  let refusesConsent = false
  let running: Server<undefined>[] = []

  const server: OauthServer = {
    authorizationEndpoint: `${url}/authorize`,
    tokenEndpoint: `${url}/token`,
    revocationEndpoint: `${url}/revoke`,
    tokenInfo: `http://127.0.0.1:${plainPort}/tokeninfo?access_token=`,
    clientId: 'bellhop-test',
    clientSecret: 'a secret of the client & more',
    requests: [],
    signIn(address) {
      user = address
    },
    refuseConsent() {
      refusesConsent = true
    },
    async consent(authorizationUrl) {
      const answer = await fetch(authorizationUrl, { redirect: 'manual', tls: { ca } })
      const location = answer.headers.get('location')
      if (!location) throw new Error(await answer.text())
      return new URL(location)
    },
    issue(address, scope = 'mail') {
      const grant: Grant = { user: address, scope, refreshToken: random(), accessTokens: new Map() }
      grants.add(grant)
      return { accessToken: addAccessToken(grant), refreshToken: grant.refreshToken }
    },
    share: (owner, address) => void shared.set(owner, address),
    accepts(address, accessToken) {
      const grant = grantOf(accessToken)
      return grant !== undefined && (grant.user === address || shared.get(grant.user) === address)
    },
    expireAccessTokens() {
      for (const grant of grants) grant.accessTokens.clear()
    },
    revoke(address) {
      for (const grant of grants) if (grant.user === address) grants.delete(grant)
    },
    fail: (failure, times = 1) => void failures.push(...Array.from({ length: times }, () => failure)),
    heal: () => void failures.splice(0),
    async stop() {
      await Promise.all(running.map((one) => one.stop(true)))
      running = []
    },
    start() {
      const options = { hostname: '127.0.0.1', idleTimeout: 0, fetch: answer }
      running = [
        Bun.serve({ ...options, port, tls: { cert: valid.cert, key: valid.key } }),
        Bun.serve({ ...options, port: plainPort }),
      ]
    },
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/authorize' && request.method === 'GET') return authorize(searchParams)
    if (pathname === '/tokeninfo') return tellAbout(searchParams.get('access_token') ?? '')
    if (request.method !== 'POST') return new Response('Not found', { status: 404 })
    const form = new URLSearchParams(await request.text())
    if (pathname === '/revoke') return revokeToken(request, form)
    if (pathname !== '/token') return new Response('Not found', { status: 404 })
    const failure = failures.shift()
    const response =
      failure === undefined
        ? token(request, form)
        : failure === 'hang'
          ? undefined
          : new Response(failure.body, { status: failure.status })
    server.requests.push({ form: Object.fromEntries(form), status: response?.status ?? 0 })
    return response ?? new Promise<Response>(() => {})
  }

  /** A wrong client or address shows a page; everything else goes back to the client (RFC 6749, 4.1.2.1). */
  function authorize(query: URLSearchParams): Response {
    const redirectUri = query.get('redirect_uri') ?? ''
    if (query.get('client_id') !== server.clientId) return page('Unknown client')
    if (!URL.canParse(redirectUri)) return page('redirect_uri is no address')
    if (redirectUris && !redirectUris.includes(redirectUri)) return page('redirect_uri is not registered')
    const back = new URL(redirectUri)
    const challenge = query.get('code_challenge') ?? ''
    const state = query.get('state')
    if (state !== null) back.searchParams.set('state', state)
    if (query.get('response_type') !== 'code') back.searchParams.set('error', 'unsupported_response_type')
    else if (query.get('code_challenge_method') !== 'S256' || !challenge) {
      back.searchParams.set('error', 'invalid_request')
    } else if (refusesConsent || user === undefined) back.searchParams.set('error', 'access_denied')
    else {
      const code = random()
      const scope = query.get('scope') ?? ''
      codes.set(code, { user, scope, redirectUri, challenge, expiresAt: now() + CODE_LIFE_MS })
      back.searchParams.set('code', code)
    }
    refusesConsent = false
    return new Response(null, { status: 302, headers: { location: back.href } })
  }

  function token(request: Request, form: URLSearchParams): Response {
    if (!isClient(request, form)) return problem('invalid_client', 401)
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return exchange(form)
      case 'refresh_token':
        return refresh(form)
      default:
        return problem('unsupported_grant_type')
    }
  }

  function exchange(form: URLSearchParams): Response {
    const key = form.get('code') ?? ''
    const code = codes.get(key)
    codes.delete(key)
    if (!code || code.expiresAt <= now()) return problem('invalid_grant')
    if (code.redirectUri !== form.get('redirect_uri')) return problem('invalid_grant')
    const verifier = form.get('code_verifier') ?? ''
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    if (!VERIFIER.test(verifier) || challenge !== code.challenge) return problem('invalid_grant')
    const { accessToken, refreshToken } = server.issue(code.user, code.scope)
    return tokens(accessToken, refreshToken, code.scope)
  }

  function refresh(form: URLSearchParams): Response {
    const grant = [...grants].find(({ refreshToken }) => refreshToken === form.get('refresh_token'))
    if (!grant) return problem('invalid_grant')
    if (refreshTokens === 'stay') return tokens(addAccessToken(grant), undefined, grant.scope)
    grant.refreshToken = random()
    return tokens(addAccessToken(grant), grant.refreshToken, grant.scope)
  }

  function revokeToken(request: Request, form: URLSearchParams): Response {
    if (!isClient(request, form)) return problem('invalid_client', 401)
    const revoked = form.get('token') ?? ''
    for (const grant of grants) if (grant.refreshToken === revoked) grants.delete(grant)
    for (const grant of grants) grant.accessTokens.delete(revoked)
    return new Response(null)
  }

  function tellAbout(accessToken: string): Response {
    const grant = grantOf(accessToken)
    if (!grant) return problem('invalid_token')
    const mailbox = shared.get(grant.user)
    return Response.json({
      email: grant.user,
      aud: server.clientId,
      scope: grant.scope,
      ...(mailbox !== undefined && { shared_mailbox: mailbox }),
    })
  }

  function tokens(accessToken: string, refreshToken: string | undefined, scope: string): Response {
    const body = { token_type: 'Bearer', access_token: accessToken, expires_in: accessTokenSeconds, scope }
    return Response.json(
      { ...body, ...(refreshToken && { refresh_token: refreshToken }) },
      { headers: { 'cache-control': 'no-store' } },
    )
  }

  /** By the form or by HTTP Basic, whose parts are form-encoded (RFC 6749, 2.3.1). */
  function isClient(request: Request, form: URLSearchParams): boolean {
    const basic = /^Basic (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
    const [id, secret] = basic
      ? Buffer.from(basic, 'base64')
          .toString()
          .split(':')
          .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
      : [form.get('client_id'), form.get('client_secret')]
    return id === server.clientId && secret === server.clientSecret
  }

  function addAccessToken(grant: Grant): string {
    const accessToken = random()
    grant.accessTokens.set(accessToken, { expiresAt: now() + accessTokenSeconds * 1_000 })
    return accessToken
  }

  function grantOf(accessToken: string): Grant | undefined {
    return [...grants].find(({ accessTokens }) => {
      const found = accessTokens.get(accessToken)
      return found !== undefined && found.expiresAt > now()
    })
  }

  server.start()
  return server
}

function page(text: string): Response {
  return new Response(text, { status: 400 })
}

function problem(error: string, status = 400): Response {
  return Response.json({ error, error_description: `The server says ${error}.` }, { status })
}

function random(): string {
  return randomBytes(24).toString('base64url')
}

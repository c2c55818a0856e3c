import { createHash, randomBytes } from 'node:crypto'
import type { SignedInAgent } from './agents.ts'
import { type Answer, call } from './bellhop.ts'

/** Where a program on the agent's machine is answered. Nothing listens there. */
export const CALLBACK = 'http://127.0.0.1:53682/callback'
export const SCOPES =
  'tickets:read tickets:write messages:write notes:read notes:write customers:read suggestions:write'

type At = { url: string }

export interface Tokens {
  access_token: string
  refresh_token: string
  expires_in: number
  token_type: string
  scope: string
}

/** PKCE: what a program keeps, and what it shows first. */
export function newVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export function register<Json = { client_id: string }>(
  { url }: At,
  metadata: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer<Json>> {
  const body = { client_name: 'Helper', redirect_uris: [CALLBACK], ...metadata }
  return call<Json>('POST', `${url}/oauth/register`, { body, headers })
}

/** A registered program. */
export async function newClient(bellhop: At): Promise<string> {
  return (await register(bellhop)).json.client_id
}

/** The query of the page where the agent is asked. A parameter that is undefined is left out. */
export function authorizeQuery({ url }: At, parameters: Record<string, string | undefined>): string {
  const all = {
    response_type: 'code',
    redirect_uri: CALLBACK,
    code_challenge_method: 'S256',
    state: 'a state/of the program',
    resource: `${url}/mcp`,
    ...parameters,
  }
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `?${new URLSearchParams(given)}`
}

/** Answers where the agent goes back to. Without scopes they deny. */
export async function consent(agent: SignedInAgent, query: string, scopes?: string[]): Promise<URL> {
  const answer = await agent.call<{ returnTo: string }>('POST', '/console/connected-programs', {
    body: { query, ...(scopes && { scopes }) },
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return new URL(answer.json.returnTo)
}

export function askForTokens<Json = Tokens>(
  { url }: At,
  form: Record<string, string | undefined>,
): Promise<Answer<Json>> {
  const all = { resource: `${url}/mcp`, ...form }
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return call<Json>('POST', `${url}/oauth/token`, {
    raw: String(new URLSearchParams(given)),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

/** A code that the agent has just allowed, with all that it has to be redeemed with. */
export async function newCode(
  bellhop: At,
  agent: SignedInAgent,
  { scopes = SCOPES.split(' '), clientId }: { scopes?: string[]; clientId?: string } = {},
): Promise<Record<string, string>> {
  const { verifier, challenge } = newVerifier()
  const client_id = clientId ?? (await newClient(bellhop))
  const query = authorizeQuery(bellhop, { client_id, code_challenge: challenge, scope: scopes.join(' ') })
  const back = await consent(agent, query, scopes)
  return {
    grant_type: 'authorization_code',
    client_id,
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: CALLBACK,
  }
}

/** A program that the agent has connected. */
export async function connect(
  bellhop: At,
  agent: SignedInAgent,
  given: { scopes?: string[]; clientId?: string } = {},
): Promise<Tokens & { clientId: string }> {
  const code = await newCode(bellhop, agent, given)
  const { status, text, json } = await askForTokens(bellhop, code)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return { ...json, clientId: code.client_id ?? '' }
}

export function refresh<Json = Tokens>(
  bellhop: At,
  { clientId, refresh_token }: Tokens & { clientId: string },
): Promise<Answer<Json>> {
  return askForTokens<Json>(bellhop, { grant_type: 'refresh_token', client_id: clientId, refresh_token })
}

/** Asks for the tools, to see whether the token is accepted. */
export function listTools({ url }: At, token?: string, path = '/mcp'): Promise<Answer<unknown>> {
  return call('POST', url + path, {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  })
}

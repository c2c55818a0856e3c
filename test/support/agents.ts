import { createAgent } from '../../server/agents/agents.ts'
import type { PersonRole } from '../../server/database/tables/agents.ts'
import type { Deps } from '../../server/deps.ts'
import { newToken } from '../../server/encryption.ts'
import { startSession } from '../../server/sessions/sessions.ts'
import { type Answer, type Call, call } from './bellhop.ts'

/** A signed-in agent who calls `/console` and `/v1` with the session cookie, as the web pages do. */
export interface SignedInAgent {
  id: string
  orgId: string
  name: string
  email: string
  /** The `Cookie` header. */
  cookie: string
  sessionId: string
  /** On the clock of the server. */
  now(): number
  /** `path` starts with `/console` or `/v1`. */
  call<Json = Record<string, unknown>>(method: string, path: string, more?: Call): Promise<Answer<Json>>
  /** The same on another server of the database. */
  at(url: string): SignedInAgent
}

let made = 0

/** Creates an agent with a session. A password is set only if given, because hashing is slow. */
export async function signInAgent(
  { deps, url }: { deps: Deps; url: string },
  orgId: string,
  {
    role = 'agent',
    name = 'Ben Okafor',
    password,
  }: { role?: PersonRole; name?: string; password?: string } = {},
): Promise<SignedInAgent> {
  made += 1
  const email = `${name.split(' ')[0]?.toLowerCase()}.${made}@acme.example`
  const agent = await createAgent(deps, orgId, { name, email, role, ...(password && { password }) })
  const token = newToken(deps)
  const sessionId = await deps.database.write(undefined, (tx) =>
    startSession(deps, tx, { orgId, agentId: agent.id, token, device: 'Test', address: '127.0.0.1' }),
  )
  const cookie = `bellhop_session=${token}`
  const at = (server: string): SignedInAgent => ({
    id: agent.id,
    orgId,
    name,
    email,
    cookie,
    sessionId,
    now: deps.clock.now,
    call: (method, path, more) =>
      call(method, `${server}${path}`, {
        ...more,
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...more?.headers },
      }),
    at,
  })
  return at(url)
}

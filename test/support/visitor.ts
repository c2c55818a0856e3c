import { type Agent, createAgent, type NewAgent } from '../../server/agents/agents.ts'
import { type Answer, type Bellhop, type Call, call } from './bellhop.ts'

/** A browser at our pages: keeps the session's cookie as a browser does, and sends it along. */
export interface Visitor {
  /** The `Set-Cookie` header of the newest answer that had one. */
  setCookie: string
  /** `path` begins with `/console` or `/v1`. */
  call<Json = Record<string, unknown>>(method: string, path: string, more?: Call): Promise<Answer<Json>>
  signIn(email: string, password?: string): Promise<Answer<Record<string, unknown>>>
}

export const PASSWORD = 'correct horse battery'

export function visit({ url }: { url: string }, headers: Record<string, string> = {}): Visitor {
  let cookie = ''
  const visitor: Visitor = {
    setCookie: '',
    async call<Json>(method: string, path: string, more?: Call): Promise<Answer<Json>> {
      const answer = await call<Json>(method, `${url}${path}`, {
        ...more,
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers, ...more?.headers },
      })
      const set = answer.headers.get('set-cookie')
      if (set !== null) {
        visitor.setCookie = set
        cookie = set.split(';')[0] ?? ''
      }
      return answer
    },
    signIn: (email, password = PASSWORD) =>
      visitor.call('POST', '/console/session', { body: { email, password } }),
  }
  return visitor
}

/** An agent with a password. */
export function makeAgent(
  { deps }: Bellhop,
  orgId: string,
  { name = 'Ana Pires', email, role = 'admin', password = PASSWORD }: Partial<NewAgent> & { email: string },
): Promise<Agent> {
  return createAgent(deps, orgId, { name, email, role, password })
}

/** What stands behind `#` in a one-time link. */
export function tokenOf(url: unknown): string {
  return String(url).split('#')[1] ?? ''
}

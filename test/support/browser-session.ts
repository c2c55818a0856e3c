import { type Agent, createAgent, type NewAgent } from '../../server/agents/agents.ts'
import { type Answer, type Bellhop, type Call, call } from './bellhop.ts'

/** Sends requests as a browser would: it keeps the session cookie and sends it with each request. */
export interface BrowserSession {
  /** The last `Set-Cookie` header. */
  setCookie: string
  /** `path` starts with `/console` or `/v1`. */
  call<Json = Record<string, unknown>>(method: string, path: string, more?: Call): Promise<Answer<Json>>
  signIn(email: string, password?: string): Promise<Answer<Record<string, unknown>>>
}

export const PASSWORD = 'correct horse battery'

export function newBrowserSession(
  { url }: { url: string },
  headers: Record<string, string> = {},
): BrowserSession {
  let cookie = ''
  const browser: BrowserSession = {
    setCookie: '',
    async call<Json>(method: string, path: string, more?: Call): Promise<Answer<Json>> {
      const answer = await call<Json>(method, `${url}${path}`, {
        ...more,
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...headers, ...more?.headers },
      })
      const set = answer.headers.get('set-cookie')
      if (set !== null) {
        browser.setCookie = set
        cookie = set.split(';')[0] ?? ''
      }
      return answer
    },
    signIn: (email, password = PASSWORD) =>
      browser.call('POST', '/console/session', { body: { email, password } }),
  }
  return browser
}

/** Creates an agent with a password. */
export function makeAgent(
  { deps }: Pick<Bellhop, 'deps'>,
  orgId: string,
  { name = 'Ana Pires', email, role = 'admin', password = PASSWORD }: Partial<NewAgent> & { email: string },
): Promise<Agent> {
  return createAgent(deps, orgId, { name, email, role, password })
}

/** The token after `#` in a one-time link. */
export function tokenOf(url: unknown): string {
  return String(url).split('#')[1] ?? ''
}

import { afterAll, beforeAll, expect } from 'bun:test'
import { inviteAgent } from '../../server/agents/one-time-links.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'

/** What opens each page; the tokens are known when the service runs. */
const PAGES: Record<string, () => string> = {
  'Sign in': () => '/sign-in',
  'Welcome to Bellhop': () => `${empty.url}/welcome#${empty.firstRunToken}`,
  'Incomplete link': () => '/welcome',
  'Join Acme': () => `/join#${invitation}`,
  'This link has expired': () => '/join',
}

let bellhop: Bellhop
/** Nobody has made an organization on it yet. */
let empty: Bellhop
let invitation: string

beforeAll(async () => {
  bellhop = await startBellhop()
  empty = await startBellhop()
  const { orgId } = await bellhop.organization('Acme')
  const invited = { name: 'Ben', email: 'ben@acme.example', role: 'agent' } as const
  invitation = (await inviteAgent(bellhop.deps, orgId, invited)).link.token
})
afterAll(() => Promise.all([bellhop.stop(), empty.stop()]))

for (const [name, path] of Object.entries(PAGES)) {
  browserTest(`the page "${name}" is accessible in both themes`, async () => {
    const page = await openPage(bellhop)
    await page.goto(path())
    await page.getByRole('heading', { name }).waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  })
}

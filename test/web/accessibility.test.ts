import { afterAll, expect } from 'bun:test'
import { inviteAgent } from '../../server/agents/one-time-links.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop, startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'

const bellhop = await sharedBellhop()
/** Nobody has made an organization on it yet. */
const empty = await startBellhop()
afterAll(empty.stop)
const { orgId } = await bellhop.organization('Acme')
const invited = { name: 'Ben', email: 'ben@acme.example', role: 'agent' } as const
const { token } = (await inviteAgent(bellhop.deps, orgId, invited)).link

const PAGES: Record<string, string> = {
  'Sign in': '/sign-in',
  'Welcome to Bellhop': `${empty.url}/welcome#${empty.firstRunToken}`,
  'Incomplete link': '/welcome',
  'Join Acme': `/join#${token}`,
  'This link has expired': '/join',
}

for (const [name, path] of Object.entries(PAGES)) {
  browserTest(`the page "${name}" is accessible in both themes`, async () => {
    const page = await openPage(bellhop)
    await page.goto(path)
    await page.getByRole('heading', { name }).waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  })
}

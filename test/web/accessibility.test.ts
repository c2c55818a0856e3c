import { afterAll, expect } from 'bun:test'
import { inviteAgent } from '../../server/agents/one-time-links.ts'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop, startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { authorizeQuery, newClient, newVerifier } from '../support/oauth.ts'

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

browserTest('the page where an agent lets a program act for them is accessible in both themes', async () => {
  const agent = await signInAgent(bellhop, orgId)
  const client_id = await newClient(bellhop)
  const page = await openPage({ url: bellhop.url, agent })
  const asked = authorizeQuery(bellhop, { client_id, code_challenge: newVerifier().challenge })
  await page.goto(`/oauth/authorize${asked}`)
  await page.getByRole('heading', { name: 'Connect Helper?' }).waitFor()
  await page.getByRole('button', { name: 'Allow', disabled: false }).waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.goto(`/oauth/authorize${authorizeQuery(bellhop, { client_id })}`)
  await page.getByRole('heading', { name: "This program can't connect" }).waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})

import { afterAll, expect } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { createLink, inviteAgent } from '../../server/agents/one-time-links.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'

const PASSWORD = 'correct horse battery'
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

browserTest('an invited agent chooses a name and a password, and is in', async () => {
  const { orgId } = await bellhop.organization('Globex')
  const invited = { name: 'Ben', email: 'ben@globex.example', role: 'agent' } as const
  const { link } = await inviteAgent(bellhop.deps, orgId, invited)
  await using window = await openWindow(bellhop)
  const { page } = window
  await page.goto(`/join#${link.token}`)
  await page.getByRole('heading', { name: 'Join Globex' }).waitFor()
  await page.waitForURL(`${bellhop.url}/join`)
  expect(await page.getByLabel('Email').inputValue()).toBe('ben@globex.example')
  await page.getByLabel('Your name').fill('Ben Okafor')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForURL('**/inbox')
  const session = await page.request.get('/console/session')
  expect(await session.json()).toMatchObject({ agent: { name: 'Ben Okafor', role: 'agent' } })

  await page.context().clearCookies()
  await page.goto(`/join#${link.token}`)
  await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
})

browserTest('a second link in the same tab is read too', async () => {
  const { orgId } = await bellhop.organization('Initech')
  const { id } = await createAgent(bellhop.deps, orgId, {
    name: 'Cy',
    email: 'cy@initech.example',
    role: 'agent',
    password: PASSWORD,
  })
  const { token } = await createLink(bellhop.deps, orgId, id)
  await using window = await openWindow(bellhop)
  const { page } = window
  await page.goto('/join#an-old-one')
  await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
  await page.goto(`/join#${token}`)
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
  await page.waitForURL(`${bellhop.url}/join`)
  await page.getByLabel('New password', { exact: true }).fill('another password')
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await page.waitForURL('**/inbox')
})

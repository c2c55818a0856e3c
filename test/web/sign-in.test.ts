import { afterAll, expect } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { createLink } from '../../server/agents/one-time-links.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'correct horse battery'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

browserTest('an agent who signs in continues to the page they wanted', async () => {
  const { orgId } = await bellhop.organization('Acme')
  await createAgent(bellhop.deps, orgId, agent('ana'))
  const page = await openPage(bellhop)
  await page.goto('/inbox/pending')
  await page.waitForURL('**/sign-in?to=%2Finbox%2Fpending')
  await eventually(async () => (await focused(page)) === 'email')
  expect(await page.getByLabel('Email').getAttribute('autocomplete')).toBe('username')
  expect(await page.getByLabel('Password', { exact: true }).getAttribute('autocomplete')).toBe(
    'current-password',
  )

  await page.getByLabel('Email').fill('ana@acme.example')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/inbox/pending')
  await page.goBack()
  expect(page.url()).not.toContain('sign-in')

  await page.goto('/sign-in')
  await page.waitForURL('**/inbox')
})

browserTest('a wrong password shows an error, and the next try needs no mouse', async () => {
  const { orgId } = await bellhop.organization('Wrong')
  await createAgent(bellhop.deps, orgId, agent('ben'))
  const page = await openPage(bellhop)
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill('ben@acme.example')
  await page.getByLabel('Password', { exact: true }).fill('not this one')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await eventually(async () => (await focused(page)) === 'password')

  await page.getByRole('button', { name: 'Show password' }).click()
  expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/inbox')
})

browserTest('after too many wrong passwords the page says how long to wait', async () => {
  const { orgId } = await bellhop.organization('Guessing')
  await createAgent(bellhop.deps, orgId, agent('cy'))
  const page = await openPage(bellhop)
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill('cy@acme.example')
  for (const _ of Array.from({ length: 11 })) {
    await page.getByLabel('Password', { exact: true }).fill('a guess of mine')
    const answer = page.waitForResponse('**/console/session')
    await page.keyboard.press('Enter')
    await answer
    // Until then, Enter does nothing.
    await page.locator('button[type=submit]:not([aria-busy])').waitFor()
  }
  await page.getByRole('alert').getByText('Too many attempts. Try again in 15 minutes.').waitFor()
})

browserTest('an agent of several organizations chooses one', async () => {
  for (const name of ['Globex', 'Initech']) {
    const { orgId } = await bellhop.organization(name)
    await createAgent(bellhop.deps, orgId, agent('dora'))
  }
  const page = await openPage(bellhop)
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill('dora@acme.example')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Initech' }).click()
  await page.waitForURL('**/inbox')
  const session = await page.request.get('/console/session')
  expect(await session.json()).toMatchObject({ organization: { name: 'Initech' } })
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
  const page = await openPage(bellhop)
  await page.goto('/join#an-old-one')
  await page.getByRole('heading', { name: 'This link has expired' }).waitFor()
  await page.goto(`/join#${token}`)
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
  await page.waitForURL(`${bellhop.url}/join`)
  await page.getByLabel('New password', { exact: true }).fill('another password')
  await page.getByRole('button', { name: 'Save and sign in' }).click()
  await page.waitForURL('**/inbox')
})

browserTest('sign-in never redirects to another site', async () => {
  const { orgId } = await bellhop.organization('Lured')
  await createAgent(bellhop.deps, orgId, agent('eve'))
  const page = await openPage(bellhop)
  await page.goto('/sign-in?to=//elsewhere.example/inbox')
  await page.getByLabel('Email').fill('eve@acme.example')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${bellhop.url}/inbox`)
})

function agent(name: string) {
  return { name: `${name} Okafor`, email: `${name}@acme.example`, role: 'agent' as const, password: PASSWORD }
}

/** The `name` of the field that has the focus. */
function focused(page: { evaluate(script: string): Promise<unknown> }): Promise<unknown> {
  return page.evaluate('document.activeElement?.getAttribute("name")')
}

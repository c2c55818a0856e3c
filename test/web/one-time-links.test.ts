import { afterAll, expect } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { createLink, inviteAgent } from '../../server/agents/one-time-links.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'

const PASSWORD = 'correct horse battery'
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

browserTest('the link of the first start makes the organization and its administrator', async () => {
  // Of its own: there is one first organization.
  const first = await startBellhop()
  await using window = await openWindow(first)
  const { page, faults } = window
  await page.goto('/')
  await page.getByRole('heading', { name: 'Bellhop is running' }).waitFor()
  expect(await page.getByLabel('Password').count()).toBe(0)

  await page.goto('/nonsense')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  faults.length = 0

  await page.goto('/welcome')
  await page.getByRole('heading', { name: 'Incomplete link' }).waitFor()

  await page.goto('/welcome#wrong')
  await page.getByRole('heading', { name: 'This link has expired' }).waitFor()

  await page.goto(`/welcome#${first.firstRunToken}`)
  await page.getByLabel('Organization').and(page.locator(':focus')).waitFor()
  await page.waitForURL(`${first.url}/welcome`)
  await page.keyboard.type('Acme')
  await page.keyboard.press('Enter')
  await page.getByText('Required').first().waitFor()
  expect(await page.getByText('Required').count()).toBe(3)
  await page.locator('[name=name]:focus').waitFor()
  await page.getByLabel('Your name').fill('Ana Pires')
  await page.getByLabel('Email').fill('ana@acme.example')
  await page.getByLabel('Password', { exact: true }).fill('short')
  expect(await page.getByText('Required').count()).toBe(0)
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert').filter({ hasText: 'Must have at least 10 characters.' })
  await alert.waitFor()
  expect(await page.getByLabel('Organization').inputValue()).toBe('Acme')

  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/inbox')
  const session = await page.request.get('/console/session')
  expect(await session.json()).toMatchObject({
    agent: { name: 'Ana Pires', role: 'admin' },
    organization: { name: 'Acme' },
  })

  await page.context().clearCookies()
  await page.goto(`/welcome#${first.firstRunToken}`)
  await page.getByRole('heading', { name: 'Already set up' }).waitFor()
  await page.close()
  await first.stop()
})

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

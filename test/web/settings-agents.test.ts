import { expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { openSettings } from '../support/settings-page.ts'

const PASSWORD = 'correct horse battery'
const bellhop = await sharedBellhop()

browserTest(
  'a colleague is invited by a link, joins in their own browser, and cannot open admin pages',
  async () => {
    const { page } = await openSettings(bellhop, '/agents')
    await page.getByRole('button', { name: 'Invite agent' }).click()
    await page.getByLabel('Name').fill('Cy Lindqvist')
    await page.getByLabel('Email').fill('cy@acme.example')
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue()
    await page.getByText(/^Expires /).waitFor()
    await page.getByText('This link works on this machine only.').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Cy Lindqvist' })
    await row.getByText('Invited').waitFor()

    const theirs = await openPage({ url: bellhop.url })
    await theirs.goto(link)
    await theirs.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await theirs.keyboard.press('Enter')
    await theirs.waitForURL('**/inbox**')

    await page.reload()
    await row.getByText('Last seen just now').waitFor()
    expect(await row.getByText('Invited').count()).toBe(0)

    await theirs.goto('/settings')
    await theirs.getByRole('heading', { name: 'Your account', level: 1 }).waitFor()
    const nav = theirs.getByRole('navigation', { name: 'Settings' })
    expect(await nav.getByRole('link').allTextContents()).toEqual([
      'Inbox',
      'Your account',
      'Connected programs',
      'Saved replies',
    ])
    for (const path of ['/agents', '/keys', '/deliveries/dlv_x', '/audit']) {
      await theirs.goto(`/settings${path}`)
      await theirs.getByText("You can't open this page").waitFor()
    }

    await page.getByRole('button', { name: 'Actions for Cy Lindqvist' }).click()
    await page.getByRole('menuitem', { name: 'Reset password…' }).click()
    await page.getByRole('button', { name: 'Create reset link' }).click()
    expect(await page.getByRole('textbox', { name: 'Link' }).inputValue()).toContain('/join#')
  },
)

browserTest('disabling an agent unassigns their tickets, and they can be enabled again', async () => {
  const client = await bellhop.organization('Globex')
  const agent = await signInAgent(bellhop, client.orgId, { role: 'admin', name: 'Ines Marques' })
  const ben = await signInAgent(bellhop, client.orgId, { name: 'Ben Okafor' })
  const body = { subject: 'Hello', message: 'Hello', customer: { email: 'ana@example.com' } }
  const { json } = await client.call<{ id: string }>('POST', '/tickets', { body })
  await client.call('PATCH', `/tickets/${json.id}`, { body: { assignedTo: ben.id } })

  const page = await openPage({ url: bellhop.url, agent })
  await page.goto('/settings/agents')
  await page.getByRole('button', { name: 'Actions for Ben Okafor' }).click()
  await page.getByRole('menuitem', { name: 'Disable…' }).click()
  await page.getByText('Their tickets become unassigned').waitFor()
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByText('Disabled Ben Okafor. 1 ticket was unassigned.').waitFor()
  expect((await ben.call('GET', '/console/session')).status).toBe(401)

  await page.getByRole('heading', { name: 'Disabled' }).waitFor()
  await page.getByRole('button', { name: 'Actions for Ben Okafor' }).click()
  await page.getByRole('menuitem', { name: 'Enable' }).click()
  await page.getByText('Ben Okafor can sign in again.').waitFor()
  await page.getByRole('heading', { name: 'Disabled' }).waitFor({ state: 'detached' })
})

browserTest('the last administrator cannot become an agent, and sees why', async () => {
  const { orgId } = await bellhop.organization('Initech')
  const agent = await signInAgent(bellhop, orgId, { role: 'admin', name: 'Ines Marques' })
  await signInAgent(bellhop, orgId, { name: 'Ben Okafor' })
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto('/settings/agents')
  await page.getByRole('button', { name: 'Actions for Ines Marques' }).click()
  await page.getByRole('menuitem', { name: 'Make agent' }).click()
  await page.getByText(/^This is the organization's last enabled administrator/).waitFor()

  await page.getByRole('button', { name: 'Actions for Ben Okafor' }).click()
  await page.getByRole('menuitem', { name: 'Make administrator' }).click()
  await page.getByText('Ben Okafor is now an administrator.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Ben Okafor is now an agent.').waitFor()
})

import { afterAll, expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'

interface Report {
  state: string
  detail: string
  findings: { check: string; state: string }[]
}

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const { orgId } = await bellhop.organization('Acme')

browserTest('the doctor shows problems first, with what to do, and runs again', async () => {
  const agent = await signInAgent(bellhop, orgId, { role: 'admin' })
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto('/settings/doctor')
  await page.getByRole('heading', { level: 1, name: 'Doctor' }).waitFor()
  const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  const backup = problems.filter({ hasText: 'Automatic backups are off.' })
  await backup.getByText('Set BELLHOP_BACKUP to a folder on another disk, or to an S3 bucket.').waitFor()
  expect(await backup.getByRole('img', { name: 'Warning' }).count()).toBe(1)
  const passed = page.getByRole('list', { name: 'Passed' }).getByRole('listitem')
  expect(await passed.filter({ hasText: 'Database intact' }).count()).toBe(1)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)

  // A run when everything is fine, whatever the disk and the network of this machine are.
  await interceptRequests(page, '**/console/doctor', async (route) => {
    const response = await route.fetch()
    const report: Report = await response.json()
    const findings = report.findings.filter(({ state }) => state === 'ok')
    await route.fulfill({
      response,
      json: { ...report, state: 'ok', detail: 'Everything is fine.', findings },
    })
  })
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('status').filter({ hasText: 'Everything is fine.' }).waitFor()
  expect(await problems.count()).toBe(0)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await backup.waitFor({ state: 'detached' })
  await page.unroute('**/console/doctor')
  await page.getByRole('button', { name: 'Run again' }).click()
  await backup.getByRole('link', { name: 'Open backups' }).click()
  await page.getByRole('heading', { level: 1, name: 'Backups' }).waitFor()
})

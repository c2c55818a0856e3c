import { expect } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { createManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { eventually } from '../support/webhooks.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const WIDTHS = [390, 900, 1440]

/** Pixels by which the page is wider than the screen. */
function overhang(page: Page): Promise<number> {
  return page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)
}

async function expectGoodLooks(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    expect([width, await overhang(page)]).toEqual([width, 0])
  }
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
}

browserTest('the page of backups says why one failed, that they fail, and that they work again', async () => {
  const clock = createManualClock()
  const folder = join(
    temporaryFolder('a-rather-long-name-that-does-not-fit-on-a-phone'),
    'backups-of-support',
  )
  writeFileSync(folder, '')
  const bellhop = await startBellhop({ clock, settings: { BELLHOP_BACKUP: folder } })
  await using _ = { [Symbol.asyncDispose]: bellhop.stop }
  const { orgId } = await bellhop.organization()
  const admin = await signInAgent(bellhop, orgId, { role: 'admin' })
  const ended = (count: number) =>
    eventually(async () => {
      const { json } = await admin.call<{ runs: unknown[] }>('GET', '/console/backups')
      if (json.runs.length < count) clock.advance(MINUTE_MS)
      return json.runs.length === count
    })
  const page = await openPage({ url: bellhop.url, agent: admin })
  const latest = page.getByRole('list', { name: 'Latest backups' }).getByRole('listitem')

  await ended(1)
  await page.goto('/settings/backups')
  await page.getByText('Last backup failed').waitFor()
  await latest.getByText(`Can't write to ${folder}: a file has this name.`).waitFor()
  await page.getByText('None yet').waitFor()
  expect(await page.getByText('The last backups failed.').count()).toBe(0)
  await expectGoodLooks(page)

  clock.advance(HOUR_MS)
  await ended(2)
  await page.reload()
  await page.getByText('Failing', { exact: true }).waitFor()
  await page.getByText('The last backups failed.').waitFor()
  expect(await latest.count()).toBe(2)

  rmSync(folder)
  clock.advance(HOUR_MS)
  await ended(3)
  await page.reload()
  await page.getByText('Working', { exact: true }).waitFor()
  await latest.getByText(/^bellhop-20260301T\d{6}Z\.tar\.zst$/).waitFor()
  expect(await page.getByText('The last backups failed.').count()).toBe(0)
  await expectGoodLooks(page)

  await page.getByRole('button', { name: 'Back up now' }).click()
  await page.getByText('Backing up', { exact: true }).waitFor()
  await eventually(async () => (await latest.count()) === 4)
  await page.getByText('Working', { exact: true }).waitFor()
})

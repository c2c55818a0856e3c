import { afterAll, expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { createManualClock } from '../support/clock.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { indexed } from '../support/search.ts'

// The index stands still until the clock moves.
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const { orgId } = await bellhop.organization('Acme')

browserTest(
  'the first page of the settings shows how many tickets search finds after an import',
  async () => {
    await indexed(bellhop, clock)
    await makeManyTickets(bellhop.deps, orgId, 1_500)
    const agent = await signInAgent(bellhop, orgId, { role: 'admin' })
    const page = await openPage({ url: bellhop.url, agent })
    await page.goto('/settings/start')
    await page.getByText('Search is being prepared: 0 of 1,500 tickets').waitFor()
    expect(await page.getByRole('progressbar', { name: 'Tickets that search finds' }).count()).toBe(1)
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)

    await indexed(bellhop, clock)
    await page.reload()
    await page.getByText('1 of 6 done').waitFor()
    expect(await page.getByText('Search is being prepared').count()).toBe(0)
  },
)

import { afterAll, expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { createManualClock, letRun } from '../support/clock.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { eventually } from '../support/webhooks.ts'

const TEN_MINUTES_MS = 600_000
const clock = createManualClock(Date.now())
const bellhop = await startBellhop({ clock })
// The server reports changes to pages after short pauses.
const running = letRun(clock)
afterAll(async () => {
  running[Symbol.dispose]()
  await bellhop.stop()
})

browserTest('after ten minutes of failure, administrators see a banner on every page', async () => {
  const { orgId } = await bellhop.organization('Acme')
  const admin = await signInAgent(bellhop, orgId, { role: 'admin' })
  const agent = await signInAgent(bellhop, orgId)
  // Its servers don't exist.
  const made = await admin.call<{ id: string }>('POST', '/console/mailboxes', { body: newMailbox() })
  const path = `/console/mailboxes/${made.json.id}`
  await eventually(async () => {
    clock.advance(1_000)
    return (await admin.call('GET', path)).json.state === 'failing'
  })
  const page = await openPage({ url: bellhop.url, agent: admin })
  const other = await openPage({ url: bellhop.url, agent })
  await page.goto('/inbox')
  await other.goto('/inbox')
  await page.getByRole('navigation', { name: 'Views' }).waitFor()
  const banner = page.getByText("support@acme.example hasn't worked since")
  expect(await banner.count()).toBe(0)

  clock.advance(TEN_MINUTES_MS)
  await eventually(async () => {
    clock.advance(1_000)
    return (await banner.count()) > 0
  })
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.getByRole('link', { name: 'Open mailbox' }).click()
  await page.getByRole('heading', { level: 1, name: 'support@acme.example' }).waitFor()
  await banner.waitFor()
  await other.getByRole('navigation', { name: 'Views' }).waitFor()
  expect(await other.getByText("hasn't worked since").count()).toBe(0)

  await page.getByRole('button', { name: 'Pause' }).click()
  await banner.waitFor({ state: 'detached' })
})

import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()
const agent = await signInAgent(bellhop, (await bellhop.organization('Acme')).orgId, { role: 'admin' })

browserTest('a page that cannot be loaded while the server is away comes when it is back', async () => {
  const page = await openPage({ isFirstVisit: true, url: bellhop.url, agent })
  const context = page.context()
  await page.goto('/inbox')
  await page.getByText('Your inbox is ready').waitFor()
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByText("Couldn't load this page").waitFor()
  await context.setOffline(false)
  await page.getByRole('heading', { level: 1, name: 'Getting started' }).waitFor()
})

browserTest('a file that the server does not have leaves no empty page', async () => {
  const page = await openPage({ isFirstVisit: true, url: bellhop.url, agent })
  let loads = 0
  page.on('domcontentloaded', () => {
    loads += 1
  })
  await interceptRequests(page, '**/assets/settings-page-*.js', (route) => route.abort())
  await page.goto('/settings/keys')
  // The page reloads once on its own: there may be a newer version.
  await eventually(() => loads === 2)
  await page.getByText("Couldn't load this page").waitFor()
  await page.unroute('**/assets/settings-page-*.js')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
})

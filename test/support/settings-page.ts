import { signInAgent } from './agents.ts'
import type { Bellhop } from './bellhop.ts'
import { openPage } from './browser.ts'

/** A page of the settings, such as `/tags`, opened by an administrator of an organization of its own. */
export async function openSettings(bellhop: Bellhop, path: string) {
  const client = await bellhop.organization('Acme')
  const admin = await signInAgent(bellhop, client.orgId, { role: 'admin', name: 'Ines Marques' })
  const page = await openPage({ url: bellhop.url, agent: admin })
  await page.goto(`/settings${path}`)
  await page.waitForSelector('html[data-connection=online]')
  return { client, admin, page }
}

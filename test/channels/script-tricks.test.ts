import { expect } from 'bun:test'
import { browserTest, startedBrowser } from '../support/browser.ts'
import { REMOTE_LOADS } from '../support/mail/remote-loads.ts'
import {
  inPages,
  provokeTricks,
  SCRIPT_TRICKS,
  type ScriptTrick,
  watchTricks,
} from '../support/mail/script-tricks.ts'

/** A trick that should not run would have, unless the machine is busy. */
const SETTLED_MS = 400
/** Limit for a busy machine. A passing test does not wait for it. */
const MAX_MS = 10_000

browserTest('of 64 script tricks, those run in Chromium that are said to', async () => {
  expect(SCRIPT_TRICKS).toHaveLength(64)
  const context = await (await startedBrowser()).newContext({ baseURL: 'http://tricks.test' })
  const ran = watchTricks(context)
  await context.route('**', (route) => {
    const trick = SCRIPT_TRICKS.find(({ id }) => route.request().url() === `http://tricks.test/${id}`)
    return trick ? route.fulfill(rawPage(trick)) : route.abort()
  })
  await inPages(context, SCRIPT_TRICKS, async (page, { id, runs }) => {
    await page.goto(`/${id}`)
    await provokeTricks(page)
    await Bun.sleep(SETTLED_MS)
    for (let waited = 0; runs && waited < MAX_MS && !ran.has(id); waited += 10) await Bun.sleep(10)
  })
  await context.close()
  const said = SCRIPT_TRICKS.filter(({ runs }) => runs).map(({ id }) => id)
  expect([...ran].sort((a, b) => a - b)).toEqual(said)
  expect(said.length).toBeGreaterThanOrEqual(28)
})

browserTest('everything that is said to load something from elsewhere does so in Chromium', async () => {
  const context = await (await startedBrowser()).newContext({ baseURL: 'https://mail.test' })
  const asked = new Set<string>()
  await context.route('**', (route) => {
    const url = route.request().url()
    const load = REMOTE_LOADS.find(({ id }) => url === `https://mail.test/${id}`)
    if (!load) asked.add(url)
    return load
      ? route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>x</title>${load.source}` })
      : route.abort()
  })
  await inPages(context, REMOTE_LOADS, async (page, { id, url }) => {
    await page.goto(`/${id}`, { waitUntil: 'commit' })
    for (let waited = 0; waited < MAX_MS && !asked.has(url); waited += 10) await Bun.sleep(10)
  })
  await context.close()
  expect(REMOTE_LOADS.filter(({ url }) => !asked.has(url))).toEqual([])
})

/** As a page shows it that sanitizes nothing. */
function rawPage({ kind, source }: ScriptTrick): { contentType: string; body: string } {
  if (kind === 'svg') return { contentType: 'image/svg+xml', body: source }
  const shown =
    kind === 'markdown' ? Bun.markdown.html(source) : kind === 'html' ? source : `<p>${source}</p>`
  return { contentType: 'text/html; charset=utf-8', body: `<!doctype html><title>x</title>${shown}` }
}

import { afterAll, expect } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { browserTest, startedBrowser } from '../support/browser.ts'
import { createTestParser, htmlMail } from '../support/mail/mail-parser.ts'
import { REMOTE_LOADS } from '../support/mail/remote-loads.ts'
import { inPages, provokeTricks, SCRIPT_TRICKS, watchTricks } from '../support/mail/script-tricks.ts'

/** Time for a trick to run: those that run at all do so within it (script-tricks.test.ts). */
const SETTLED_MS = 400
const ORIGIN = 'https://mail.test'

const parser = createTestParser()
afterAll(() => parser[Symbol.dispose]())

browserTest('of 64 script tricks in HTML mails, none runs', async () => {
  await using shown = await openContext()
  const ran = watchTricks(shown.context)
  await shown.showAll(SCRIPT_TRICKS.map(({ source }) => source))
  expect([...ran]).toEqual([])
})

browserTest('nothing in an HTML mail loads anything, from elsewhere or from our own server', async () => {
  await using shown = await openContext()
  await shown.showAll(REMOTE_LOADS.map(({ source }) => source))
  expect([...shown.asked]).toEqual([])
})

/** Shows mails as our own server would, but without a content policy: what is shown must be safe without one. */
async function openContext() {
  const context: BrowserContext = await (await startedBrowser()).newContext({ baseURL: ORIGIN })
  const pages: string[] = []
  const asked = new Set<string>()
  await context.route('**', (route) => {
    const url = route.request().url()
    const page = pages[Number(url.slice(`${ORIGIN}/mails/`.length))]
    if (url.startsWith(`${ORIGIN}/mails/`) && page !== undefined) {
      return route.fulfill({ contentType: 'text/html; charset=utf-8', body: page })
    }
    asked.add(url)
    return route.abort()
  })

  async function show(page: Page, html: string): Promise<void> {
    const safe = (await parser.read(htmlMail(html))).html ?? ''
    const number = pages.push(`<!doctype html><title>Mail</title>${safe}`) - 1
    await page.goto(`/mails/${number}`)
    await provokeTricks(page)
    await Bun.sleep(SETTLED_MS)
  }

  return {
    context,
    asked,
    async showAll(mails: string[]): Promise<void> {
      await inPages(context, mails, show)
      expect(pages.length).toBe(mails.length)
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { markdownToEmailHtml, plainToEmailHtml } from '../../server/formatting/email-html.ts'
import { createId } from '../../server/ids.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, startedBrowser } from '../support/browser.ts'
import { REMOTE_LOADS } from '../support/mail/remote-loads.ts'
import { provokeTricks, SCRIPT_TRICKS, watchTricks } from '../support/mail/script-tricks.ts'
import { saveDraft } from '../support/threads.ts'
import { editor, openTicket, openWorkspace } from '../support/ticket-page.ts'

/** Time for a trick to run: those that run at all do so within it (script-tricks.test.ts). */
const SETTLED_MS = 400
const ORIGIN = 'https://mail.test'
const SOURCES = [...SCRIPT_TRICKS, ...REMOTE_LOADS].map(({ source }) => source)
/** As a text, and as what formatting is around. */
const TEXTS = SOURCES.flatMap((source) => [
  source,
  `**[x](${source})** \`${source}\`\n- ${source}\n> ${source}`,
])

const bellhop = await sharedBellhop()

browserTest(
  'in the emails of messages and signatures no script trick runs, and nothing is loaded',
  async () => {
    const context = await (await startedBrowser()).newContext({ baseURL: ORIGIN })
    await using _ = { [Symbol.asyncDispose]: () => context.close() }
    const ran = watchTricks(context)
    const asked = new Set<string>()
    const bodies = [markdownToEmailHtml, plainToEmailHtml].map((toHtml) =>
      TEXTS.map((text) => `<section>${toHtml(text)}</section>`).join(''),
    )
    await context.route('**', (route) => {
      const url = route.request().url()
      const body = bodies[Number(url.slice(`${ORIGIN}/`.length))]
      if (body === undefined) asked.add(url)
      return body === undefined
        ? route.abort()
        : route.fulfill({ contentType: 'text/html; charset=utf-8', body: `<!doctype html>${body}` })
    })
    for (const at of bodies.keys()) {
      const page = await context.newPage()
      await page.goto(`/${at}`)
      expect(await page.locator('section').count()).toBe(TEXTS.length)
      // Addresses that are written out are links, which nothing but a click follows.
      await page.evaluate(() => {
        for (const link of document.querySelectorAll('a'))
          if (/^https?:/.test(link.href)) link.removeAttribute('href')
      })
      await provokeTricks(page)
      await Bun.sleep(SETTLED_MS)
    }
    expect([...ran]).toEqual([])
    expect([...asked]).toEqual([])
  },
)

browserTest('in the thread and the editor no script trick runs, and nothing is loaded', async () => {
  const { ben, client, ticket } = await openWorkspace(bellhop)
  for (let start = 0; start < TEXTS.length; start += 20) {
    const body = { text: TEXTS.slice(start, start + 20).join('\n\n'), format: 'markdown' }
    const path = `/tickets/${ticket.id}/messages/${createId('msg', Date.now())}`
    expect((await client.call('PUT', path, { body })).status).toBe(201)
  }
  await saveDraft(ben, ticket.id, TEXTS.slice(0, 100).join('\n\n'))
  const page = await openTicket(bellhop, ben, ticket.id)
  const ran = watchTricks(page.context())
  const asked = new Set<string>()
  page.on('request', (request) => asked.add(new URL(request.url()).origin))
  await editor(page).locator('pre, ul').first().waitFor()
  await page.getByRole('button', { name: 'earlier messages' }).click()
  await page.locator('.thread .formatted-text').first().waitFor()
  expect(await strangersIn(page)).toEqual([])
  await Bun.sleep(SETTLED_MS)
  expect([...ran]).toEqual([])
  expect([...asked].filter((origin) => origin !== bellhop.url)).toEqual([])
})

/** What formatted texts have besides the elements and links of the formatting. */
function strangersIn(page: Page): Promise<string[]> {
  return page.locator('.formatted-text *').evaluateAll((elements) => {
    const known = ['P', 'STRONG', 'EM', 'CODE', 'PRE', 'UL', 'OL', 'LI', 'BLOCKQUOTE', 'A', 'BR', 'MARK']
    return elements
      .filter((element) => {
        const names = element
          .getAttributeNames()
          .filter((name) => !['href', 'target', 'rel', 'start', 'dir'].includes(name))
        const href = element.getAttribute('href') ?? 'https://none'
        return !known.includes(element.tagName) || names.length > 0 || !/^(?:https?:\/\/|mailto:)/.test(href)
      })
      .map((element) => element.outerHTML)
  })
}

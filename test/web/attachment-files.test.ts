import { afterAll, expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, startedBrowser } from '../support/browser.ts'
import { provokeTricks, SCRIPT_TRICKS, watchTricks } from '../support/mail/script-tricks.ts'
import { upload } from '../support/uploads.ts'

const AT_ONCE = 12
/** A trick that should not run would have, unless the machine is busy. */
const SETTLED_MS = 250

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)

/** Each way in which a page could show a file instead of saving it. */
const EMBEDDED = ['iframe', 'object', 'embed', 'img', 'script', 'link', 'portal']

browserTest('no script in a file runs in Chromium, however the file is opened', async () => {
  const context = await (await startedBrowser()).newContext({ baseURL: bellhop.url })
  const [name = '', value = ''] = ben.cookie.split('=', 2)
  await context.addCookies([{ name, value, url: bellhop.url, httpOnly: true, sameSite: 'Lax' }])
  const ran = watchTricks(context)
  const tricks = SCRIPT_TRICKS.filter(({ kind }) => kind !== 'file name')
  expect(tricks.filter(({ runs }) => runs).length).toBeGreaterThan(20)
  for (let n = 0; n < tricks.length; n += AT_ONCE) {
    await Promise.all(
      tricks.slice(n, n + AT_ONCE).map(async ({ source, kind }) => {
        const names = [`photo.${kind === 'svg' ? 'svg' : 'html'}`, 'photo.png']
        const files = await Promise.all(names.map((file) => upload(ben, file, source)))
        const page = await context.newPage()
        // A page of the same origin without any policy of its own.
        await page.goto('/health/live')
        for (const { id } of files) {
          const path = `/v1/attachments/${id}`
          const opened = await page.goto(path).catch((error) => String(error))
          // It is saved, so there is no page to go to.
          expect(String(opened)).toMatch(/Download is starting|net::ERR_ABORTED/)
          await page.evaluate(
            ([ways, url]) => {
              for (const way of ways) {
                const element = document.createElement(way)
                for (const attribute of ['src', 'data', 'href']) element.setAttribute(attribute, url)
                if (way === 'link') element.setAttribute('rel', 'stylesheet')
                document.body.append(element)
              }
            },
            [EMBEDDED, path] as const,
          )
        }
        await provokeTricks(page)
        await Bun.sleep(SETTLED_MS)
        await page.close()
      }),
    )
  }
  await context.close()
  expect([...ran]).toEqual([])
})

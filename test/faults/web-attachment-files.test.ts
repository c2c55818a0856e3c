import { expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, startedBrowser } from '../support/browser.ts'
import { provokeTricks, SCRIPT_TRICKS, watchTricks } from '../support/mail/script-tricks.ts'
import { upload } from '../support/uploads.ts'

/** Files in one page, which holds each of them in every way. */
const FILES_PER_PAGE = 20
/** A trick that should not run would have, unless the machine is busy. */
const SETTLED_MS = 250

const bellhop = await sharedBellhop()
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)

/** Each way in which a page could show a file instead of saving it. */
const EMBEDDED = ['iframe', 'object', 'embed', 'img', 'script', 'link', 'portal']

browserTest('no script in a file runs in Chromium, however the file is opened', async () => {
  const context = await (await startedBrowser()).newContext({ baseURL: bellhop.url, acceptDownloads: false })
  const [name = '', value = ''] = ben.cookie.split('=', 2)
  await context.addCookies([{ name, value, url: bellhop.url, httpOnly: true, sameSite: 'Lax' }])
  const ran = watchTricks(context)
  const tricks = SCRIPT_TRICKS.filter(({ kind }) => kind !== 'file name')
  expect(tricks.filter(({ runs }) => runs).length).toBeGreaterThan(20)
  const page = await context.newPage()
  for (let n = 0; n < tricks.length; n += FILES_PER_PAGE) {
    const uploads = tricks.slice(n, n + FILES_PER_PAGE).map(({ id, source, kind }) => {
      // By turns under its own name and as an image.
      const name = id % 2 === 0 ? `photo.${kind === 'svg' ? 'svg' : 'html'}` : 'photo.png'
      return upload(ben, name, source)
    })
    const paths = (await Promise.all(uploads)).map(({ id }) => `/v1/attachments/${id}`)
    // A page of the same origin without any policy of its own.
    await page.goto('/health/live')
    for (const path of paths) {
      const opened = await page.goto(path).catch((error) => String(error))
      // It is saved, so there is no page to go to.
      expect(String(opened)).toMatch(/Download is starting|net::ERR_ABORTED/)
    }
    await page.evaluate(
      ([ways, urls]) => {
        for (const url of urls) {
          for (const way of ways) {
            const element = document.createElement(way)
            for (const attribute of ['src', 'data', 'href']) element.setAttribute(attribute, url)
            if (way === 'link') element.setAttribute('rel', 'stylesheet')
            document.body.append(element)
          }
        }
      },
      [EMBEDDED, paths] as const,
    )
    await page.waitForLoadState('load')
    await provokeTricks(page)
    await Bun.sleep(SETTLED_MS)
  }
  await context.close()
  expect([...ran]).toEqual([])
})

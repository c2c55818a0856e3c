import { expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { call } from '../support/bellhop.ts'
import { browserTest, faultsOf, openPage } from '../support/browser.ts'
import { watchShifts } from '../support/layout-shifts.ts'
import { makeWidget, openShop, startShop } from '../support/shop.ts'
import { eventually } from '../support/webhooks.ts'
import {
  answer,
  messageOf,
  openChat,
  openPanel,
  panelOf,
  sendMessage,
  ticketWith,
  writeMessage,
} from '../support/widget-page.ts'

/** Opening hours, Monday first: one day, this many days from now. */
function openOnlyIn(days: number) {
  const monday = (new Date().getUTCDay() + 6 + days) % 7
  return Array.from({ length: 7 }, (_, day) => (day === monday ? { from: '09:00', to: '17:00' } : null))
}

let askingKey = ''
const { bellhop, shop, client, admin, widget } = await openShop({
  '/': {},
  '/long': { body: '<p>Our lamps are made by hand.</p>'.repeat(100) },
  '/hostile': {
    css: `* { all: unset !important; font-size: 40px !important; transform: rotate(3deg) !important }
#cover { position: fixed !important; inset: 0 !important; z-index: 2147483647 !important; background: red !important }`,
    body: '<div id="cover"></div>',
  },
  '/broken': {
    script: `window.fetch = () => { throw new Error('broken') }
window.Promise = function () { throw new Error('broken') }
window.XMLHttpRequest = undefined
window.AbortController = undefined`,
  },
  '/forbidden': {
    script: `for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, { get() { throw new DOMException('Forbidden', 'SecurityError') } })
}`,
  },
  '/rtl': { direction: 'rtl', language: 'ar' },
  '/dark': { css: ':root { color-scheme: dark } :root.light { color-scheme: light }' },
  '/pt': { language: 'pt-BR' },
  '/preview': {
    isPreview: true,
    body: '<div id="sample"></div>',
    css: '#sample { position: relative; height: 600px }',
  },
  '/asking': {
    get key() {
      return askingKey
    },
  },
})
const asking = await makeWidget(bellhop, client, shop.origin, {
  name: 'Asking',
  appearance: { title: 'Acme', greeting: 'Welcome!', position: 'left', color: '#ffd400' },
  questions: {
    name: 'optional',
    email: 'required',
    fields: [{ key: 'order', label: 'Order number', isRequired: true }],
  },
  hours: {
    timeZone: 'UTC',
    days: openOnlyIn(3),
    awayText: 'Closed for the summer.',
  },
})
askingKey = asking.widget.key

test('the script has a fixed address, a short cache and an ETag, and every origin may load it', async () => {
  const script = await call('GET', `${bellhop.url}/widget.js`)
  expect(script.status).toBe(200)
  expect(Object.fromEntries(script.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  })
  const headers = { 'if-none-match': script.headers.get('etag') ?? '' }
  expect((await call('GET', `${bellhop.url}/widget.js`, { headers })).status).toBe(304)

  const [app = ''] = /app-[\w-]+\.js/.exec(script.text) ?? []
  const asset = await call('GET', `${bellhop.url}/widget/assets/${app}`)
  expect(Object.fromEntries(asset.headers)).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  })
  // For scripts of before an update.
  const newest = await call('GET', `${bellhop.url}/widget/assets/app.js?1`)
  expect([newest.text, newest.headers.get('cache-control')]).toEqual([
    `export * from './${app}'\n`,
    'no-cache',
  ])
  const none = await call('GET', `${bellhop.url}/widget/assets/app-none.js`)
  expect([none.status, none.json]).toMatchObject([404, { code: 'unknown_route' }])
  expect((await call('GET', `${bellhop.url}/assets/${app}`)).status).toBe(404)
})

browserTest('the script has at most 3 KiB, and everything else that a visitor loads 20', async () => {
  const page = await openPage({ url: shop.origin, isFirstVisit: true })
  const loaded = new Set<string>()
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (/^\/widget(?:\.js|\/assets\/)/.test(pathname)) loaded.add(pathname)
  })
  await page.goto('/')
  await openPanel(page)
  const app = await call('GET', `${bellhop.url}${[...loaded].find((path) => path.includes('/app-'))}`)
  const parts = [...app.text.matchAll(/import\(["`]\.\/([\w.-]+)["`]\)/g)].map(
    ([, name]) => `/widget/assets/${name}`,
  )
  expect(parts).toHaveLength(6)
  const otherLanguages = /\/(?:de|fr|es|pt|sample-client)-/
  const all = new Set([...loaded, ...parts.filter((path) => !otherLanguages.test(path))])
  // Loader, app, and language.
  expect(all.size).toBe(3)
  expect(await totalSize(['/widget.js'])).toBeLessThanOrEqual(3 * 1024)
  all.delete('/widget.js')
  expect(await totalSize([...all])).toBeLessThanOrEqual(20 * 1024)
})

async function totalSize(paths: string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(gzippedSize))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function gzippedSize(path: string): Promise<number> {
  const response = await fetch(bellhop.url + path, {
    headers: { 'accept-encoding': 'gzip' },
    decompress: false,
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(response.headers.get('content-encoding')).toBe('gzip')
  expect(gunzipSync(bytes).length).toBeGreaterThan(bytes.length)
  return bytes.length
}

browserTest('the widget moves nothing on the page around it', async () => {
  const page = await openPage({ url: shop.origin, isFirstVisit: true })
  await watchShifts(page)
  await page.goto('/long')
  const places = () =>
    page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('main, main *')].map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect()
        return [x, y, width, height]
      }),
    )
  const before = await places()
  await openPanel(page)
  await sendMessage(page, 'Stay where you are')
  await page.getByRole('button', { name: 'Close chat' }).first().click()
  expect(await places()).toEqual(before)
  expect(await page.evaluate('shifts')).toEqual([])
})

browserTest('styles of the page, however hostile, change nothing', async () => {
  const page = await openChat(shop)
  const before = await panelOf(page).boundingBox()
  const button = await page.getByRole('button', { name: 'Close chat' }).last().boundingBox()
  await page.evaluate(() => sessionStorage.clear())
  await page.goto('/hostile')
  // Playwright clicks only what isn't covered.
  await openPanel(page)
  expect(await panelOf(page).boundingBox()).toEqual(before)
  expect(await page.getByRole('button', { name: 'Close chat' }).last().boundingBox()).toEqual(button)
  expect(await panelOf(page).evaluate((panel) => getComputedStyle(panel).fontSize)).toBe('15px')
  await sendMessage(page, 'Still here')
})

browserTest('a page that has broken its own fetch and Promise does not break the widget', async () => {
  const page = await openChat(shop, '/broken')
  await sendMessage(page, 'From a broken page')
  await panelOf(page)
    .locator('input[type=file]')
    .setInputFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('A') }])
  await page.getByRole('button', { name: 'Send' }).and(page.locator('[aria-disabled=false]')).click()
  await page.getByRole('button', { name: 'Download a.txt' }).waitFor()
  const { id } = await ticketWith(admin, 'From a broken page')
  await answer(admin, id, { text: 'Received' })
  await messageOf(page, 'Received').waitFor()
})

browserTest(
  'where the browser forbids storage, the widget works within the page and says what is lost',
  async () => {
    const page = await openChat(shop, '/forbidden')
    await panelOf(page).getByText('Your browser doesn’t let us store anything.').waitFor()
    await sendMessage(page, 'Without a memory')
    await ticketWith(admin, 'Without a memory')
  },
)

browserTest(
  'a website that is not allowed gets no widget, and its console says where to allow it',
  async () => {
    const stranger = startShop(bellhop.url, () => widget.key, { '/': {} })
    try {
      const page = await openPage({ url: stranger.origin })
      const faults = faultsOf(page)
      await page.goto('/')
      await eventually(async () => faults.length > 0)
      expect(faults.splice(0).join()).toContain(stranger.origin)
      expect(await page.locator('bellhop-widget').count()).toBe(0)
    } finally {
      await stranger.stop()
    }
  },
)

browserTest('questions come before the first message, and the opening hours are shown', async () => {
  const page = await openChat(shop, '/asking')
  await panelOf(page).getByText('Welcome!').waitFor()
  await panelOf(page).getByText('Closed for the summer.').waitFor()
  expect((await page.getByRole('button', { name: 'Close chat' }).last().boundingBox())?.x).toBeLessThan(100)
  await page.getByLabel('Email').fill('nonsense')
  await writeMessage(page, 'Is anyone there?')
  await panelOf(page).getByText('Enter an email address, such as ana@example.com.').waitFor()
  await panelOf(page).getByText('Fill in this field.').waitFor()
  await page.getByLabel('Email').and(page.locator(':focus')).waitFor()
  await page.getByLabel('Email').fill('ana@example.com')
  await page.getByLabel('Order number').fill('1001')
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Send' }).click()
  await panelOf(page).getByText('Sent', { exact: true }).waitFor()
  expect(await page.getByLabel('Order number').count()).toBe(0)
})

browserTest('what the page tells of a visitor is not asked again, and is not verified', async () => {
  const page = await openPage({ url: shop.origin })
  await page.goto('/asking')
  await page.waitForFunction('"Bellhop" in window')
  await page.evaluate('Bellhop("identify", { name: "Ana", email: "ana@example.com" })')
  await openPanel(page)
  await page.getByLabel('Order number').waitFor()
  expect(await page.getByLabel(/^(?:Name|Email)/).count()).toBe(0)
  await page.getByLabel('Order number').fill('1002')
  await sendMessage(page, 'Who am I?')
  const { id } = await ticketWith(asking.admin, 'Who am I?')
  const { json } = await asking.admin.call('GET', `/console/tickets/${id}/visitor`)
  expect(json).toMatchObject({ isVerified: false, typedName: 'Ana', typedEmail: 'ana@example.com' })
  const ticket = await asking.admin.call('GET', `/v1/tickets/${id}`)
  expect(ticket.json.customer).toEqual({
    name: 'Ana',
    unverifiedEmail: 'ana@example.com',
    unverified: true,
    userId: expect.stringMatching(/^usr_/),
  })
})

browserTest(
  'a visitor without a known address is asked for it when nobody answers for a minute',
  async () => {
    const page = await openPage({ url: shop.origin })
    await page.clock.install()
    await page.goto('/')
    await page.clock.runFor(5_000)
    await openPanel(page)
    await writeMessage(page, 'Hello?')
    await panelOf(page).getByText('Sent', { exact: true }).waitFor()
    expect(await page.getByText('How can we reach you?').count()).toBe(0)
    await page.clock.runFor(61_000)
    await page.getByLabel('How can we reach you?').fill('ana@example.com')
    await page.getByRole('button', { name: 'Save' }).click()
    await panelOf(page).getByText('We’ll also reply to ana@example.com.').waitFor()
  },
)

browserTest('on a phone the panel fills the screen and leaves room for the keyboard', async () => {
  const page = await openPage({ url: shop.origin, width: 390, height: 800, isTouch: true })
  await page.goto('/')
  await page.getByRole('button', { name: /^Open chat/ }).tap()
  await panelOf(page).waitFor()
  expect(await panelOf(page).boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 800 })
  // No keyboard over the greeting.
  expect(
    await page.getByRole('textbox', { name: 'Message' }).evaluate((field) => field.matches(':focus')),
  ).toBe(false)
  for (const button of await panelOf(page).getByRole('button').all()) {
    const box = await button.boundingBox()
    expect([box?.width, box?.height]).toEqual([44, 44])
  }
  await sendMessage(page, 'When do you open?')
  await panelOf(page)
    .locator('time')
    .getByText(/^\d+:\d\d/)
    .waitFor()
  // The keyboard makes the visible part smaller.
  await page.setViewportSize({ width: 390, height: 480 })
  await eventually(async () => (await panelOf(page).boundingBox())?.height === 480)
  expect(await panelOf(page).evaluate((panel) => panel.getAnimations().length)).toBe(0)
  await panelOf(page).getByRole('button', { name: 'Close chat' }).tap()
  await page.getByRole('button', { name: 'Open chat' }).waitFor()
})

browserTest('it is usable with keys alone, and its names are read', async () => {
  const page = await openPage({ url: shop.origin })
  await page.goto('/')
  await page.getByRole('button', { name: 'Open chat' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Only keys')
  await page.keyboard.press('Enter')
  await panelOf(page).getByText('Sent', { exact: true }).waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'More' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Turn notifications off' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Turn notifications off' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'More' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await panelOf(page).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Open chat' }).and(page.locator(':focus')).waitFor()
})

browserTest('its texts are in the language of the page, and run in its direction', async () => {
  const page = await openPage({ url: shop.origin })
  await page.goto('/pt')
  await page.getByRole('button', { name: 'Abrir o chat' }).waitFor()
  await page.goto('/rtl')
  await openPanel(page)
  expect(await panelOf(page).evaluate((panel) => getComputedStyle(panel).direction)).toBe('rtl')
  const title = await panelOf(page).getByRole('heading').boundingBox()
  const close = await panelOf(page).getByRole('button', { name: 'Close chat' }).boundingBox()
  expect((close?.x ?? 0) < (title?.x ?? 0)).toBe(true)
  // The name starts at the right edge, like the line below it, whatever its own direction is.
  const header = await panelOf(page).locator('header').boundingBox()
  const name = await panelOf(page).locator('h2 > bdi').boundingBox()
  const rightOf = (box: typeof name) => (box?.x ?? 0) + (box?.width ?? 0)
  expect(rightOf(header) - rightOf(name)).toBeLessThan(40)
})

browserTest('its colors are those of the page, and only then those of the system', async () => {
  const page = await openPage({ url: shop.origin })
  const theme = (name: string) =>
    page.locator(`.launcher-frame[data-theme="${name}"]`).waitFor({ state: 'attached' })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/dark')
  await theme('dark')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.evaluate(() => document.documentElement.classList.add('light'))
  await theme('light')
  await page.goto('/')
  await theme('dark')
})

browserTest('the preview follows its settings and asks the server for nothing but scripts', async () => {
  const page = await openPage({ url: shop.origin })
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto('/preview')
  const show = (settings: object | null) =>
    page.evaluate((given) => {
      const { Bellhop } = globalThis as unknown as { Bellhop(...args: unknown[]): void }
      Bellhop('preview', given, document.querySelector('#sample'))
    }, settings)
  await page.waitForFunction('"Bellhop" in window')
  const { json: settings } = await call<object>('GET', `${bellhop.url}/widget/${widget.key}/settings`)
  await show({ ...settings, title: 'Before' })
  await panelOf(page).getByRole('heading', { name: 'Before' }).waitFor()
  await show({ ...settings, title: 'Danach', language: 'de', theme: 'dark' })
  await panelOf(page).getByRole('heading', { name: 'Danach' }).waitFor()
  await messageOf(page, 'Sie ist unterwegs und kommt morgen an.').waitFor()
  await show(null)
  await panelOf(page).waitFor({ state: 'detached' })
  expect(asked.filter((path) => path.startsWith('/widget/') && !path.startsWith('/widget/assets/'))).toEqual(
    [],
  )
})

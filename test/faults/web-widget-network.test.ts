import { afterAll, expect, spyOn, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ApiProblem, type VisitorApi } from '../../web/widget/visitor/visitor-api.ts'
import { openVisitorStream } from '../../web/widget/visitor/visitor-stream.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { startReverseProxy } from '../support/reverse-proxy.ts'
import { makeWidget, startShop } from '../support/shop.ts'
import { eventually } from '../support/webhooks.ts'
import {
  answer,
  messageOf,
  openPanel,
  panelOf,
  sendMessage,
  textsOf,
  ticketWith,
  writeMessage,
} from '../support/widget-page.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const CLIENTS = 10_000
const TABS = 7

const bellhop = await startBellhop()
// The visitors reach the server through it.
const proxy = await startReverseProxy(bellhop.url)
let key = ''
const shop = startShop(proxy.url, () => key, { '/': {} })
const { admin, widget } = await makeWidget(bellhop, await bellhop.organization(), shop.origin)
key = widget.key
afterAll(async () => {
  await Promise.all([shop.stop(), proxy.stop()])
  await bellhop.stop()
})

/** Sends a first message on a page whose clock the test can move. Returns the id of its ticket. */
async function openConversation(page: Page, text: string): Promise<string> {
  await page.clock.install()
  await page.goto('/')
  await page.clock.runFor(5 * SECOND)
  await openPanel(page)
  await sendMessage(page, text)
  return (await ticketWith(admin, text)).id
}

/** As the browser does when its window is shown again. */
function show(page: Page): Promise<unknown> {
  return page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
}

browserTest(
  'a proxy that cuts the connection each minute loses no answer, and shows none twice',
  async () => {
    const page = await openPage({ url: shop.origin })
    const id = await openConversation(page, 'Cut me off')
    const expected = ['Cut me off']
    for (const minute of [1, 2, 3]) {
      await eventually(() => proxy.streams() === 1)
      proxy.cut()
      await answer(admin, id, { text: `Minute ${minute}` })
      expected.push(`Minute ${minute}`)
      // Meanwhile nothing says that the connection is lost: it is soon there again.
      expect(await panelOf(page).getByText('Reconnecting…').count()).toBe(0)
      await page.clock.runFor(5 * SECOND)
      await messageOf(page, `Minute ${minute}`).waitFor()
    }
    expect(await textsOf(page)).toEqual(expected)
  },
)

browserTest('behind a proxy that collects the stream, answers still come without a reload', async () => {
  proxy.collect(true)
  try {
    const page = await openPage({ url: shop.origin })
    const id = await openConversation(page, 'Collected')
    await answer(admin, id, { text: 'First' })
    // Until the stream is given up.
    await page.clock.runFor(20 * SECOND)
    await messageOf(page, 'First').waitFor()
    await answer(admin, id, { text: 'Second' })
    await page.clock.runFor(10 * SECOND)
    await messageOf(page, 'Second').waitFor()
    expect(await textsOf(page)).toEqual(['Collected', 'First', 'Second'])

    // Later a stream is tried again, which an office's network allows by then.
    proxy.collect(false)
    await eventually(async () => {
      await page.clock.runFor(10 * SECOND)
      return proxy.streams() === 1
    })
    await answer(admin, id, { text: 'Third' })
    await messageOf(page, 'Third').waitFor()
  } finally {
    proxy.collect(false)
  }
})

browserTest('after ten seconds and after an hour offline, both sides have everything', async () => {
  const page = await openPage({ url: shop.origin })
  const context = page.context()
  const id = await openConversation(page, 'Before the tunnel')
  const expected = ['Before the tunnel']
  for (const ms of [10 * SECOND, HOUR]) {
    await eventually(() => proxy.streams() === 1)
    await context.setOffline(true)
    proxy.cut()
    await writeMessage(page, `Written offline ${ms}`)
    await answer(admin, id, { text: `Answered ${ms}` })
    await page.clock.fastForward(ms)
    await panelOf(page).getByText('You’re offline.').first().waitFor()
    await context.setOffline(false)
    await page.clock.runFor(SECOND)
    await ticketWith(admin, `Written offline ${ms}`)
    await messageOf(page, `Answered ${ms}`).waitFor()
    expected.push(`Answered ${ms}`, `Written offline ${ms}`)
    await eventually(async () => (await textsOf(page)).join() === expected.join())
  }
})

browserTest(
  'after a sleep, a connection that only looks open is replaced when the page is shown',
  async () => {
    const page = await openPage({ url: shop.origin })
    const id = await openConversation(page, 'Closing the lid')
    await eventually(() => proxy.streams() === 1)
    proxy.stall()
    await answer(admin, id, { text: 'Good night' })
    await page.clock.fastForward(8 * HOUR)
    await show(page)
    await page.clock.runFor(SECOND)
    await messageOf(page, 'Good night').waitFor()
    expect(await textsOf(page)).toEqual(['Closing the lid', 'Good night'])
  },
)

browserTest('seven tabs share one connection, all can write, and the token is in no address', async () => {
  const page = await openPage({ url: shop.origin })
  const context = page.context()
  const addresses: string[] = []
  context.on('request', (request) => addresses.push(request.url()))
  await page.goto('/')
  await openPanel(page)
  await sendMessage(page, 'From the first of seven')
  const tabs = [page]
  while (tabs.length < TABS) {
    const tab = await context.newPage()
    await tab.goto(`${shop.origin}/`)
    await openPanel(tab)
    tabs.push(tab)
  }
  await eventually(() => proxy.streams() === 1)
  for (const tab of tabs.slice(1)) await writeMessage(tab, `From tab ${tabs.indexOf(tab)}`)
  const expected = ['From the first of seven', ...tabs.slice(1).map((_, number) => `From tab ${number + 1}`)]
  const { id } = await ticketWith(admin, 'From tab 6')
  await answer(admin, id, { text: 'To all' })
  for (const tab of tabs) {
    await messageOf(tab, 'To all').waitFor()
    expect((await textsOf(tab)).toSorted()).toEqual([...expected, 'To all'].toSorted())
  }
  const { token } = await page.evaluate<{ token: string }, string>(
    (name) => JSON.parse(localStorage.getItem(name) ?? '{}'),
    `bellhop:${key}:session`,
  )
  expect(token).toMatch(/^bellhop_vt_/)
  expect(addresses.filter((address) => address.includes(token))).toEqual([])
})

browserTest('a clock that is wrong by a day changes neither the order nor what arrives', async () => {
  for (const days of [-1, 1]) {
    const page = await openPage({ url: shop.origin })
    await page.clock.install({ time: Date.now() + days * 24 * HOUR })
    await page.goto('/')
    await page.clock.runFor(5 * SECOND)
    await openPanel(page)
    await sendMessage(page, `Wrong by ${days}`)
    const { id } = await ticketWith(admin, `Wrong by ${days}`)
    await answer(admin, id, { text: 'Right' })
    await messageOf(page, 'Right').waitFor()
    await writeMessage(page, 'Still wrong')
    await ticketWith(admin, 'Still wrong')
    await page.reload()
    await page.clock.runFor(5 * SECOND)
    await messageOf(page, 'Still wrong').waitFor()
    expect(await textsOf(page)).toEqual([`Wrong by ${days}`, 'Right', 'Still wrong'])
  }
})

test('10,000 pages come back after a restart spread over seconds', async () => {
  const timers = spyOn(globalThis, 'setTimeout')
  const api = {
    openEvents: () => Promise.reject(new ApiProblem(0, 'unreachable', '')),
  } as unknown as VisitorApi
  const streams = Array.from({ length: CLIENTS }, () =>
    openVisitorStream(
      { api, native: (name) => globalThis[name], after: () => 0 },
      { event() {}, lost() {}, forbidden() {}, refused() {} },
    ),
  )
  await Bun.sleep(0)
  const first = timers.mock.calls.flatMap(([run, ms]) => (run.name === 'connect' ? [Number(ms)] : []))
  timers.mockRestore()
  for (const stream of streams) stream.close()
  expect(first).toHaveLength(CLIENTS)
  // In no quarter of a second comes more than twice its share of four seconds.
  const slots = Map.groupBy(first, (ms) => Math.floor(ms / 250))
  expect([...slots.keys()].sort((one, other) => one - other)).toEqual(
    Array.from({ length: 16 }, (_, slot) => slot),
  )
  expect(Math.max(...[...slots.values()].map((slot) => slot.length))).toBeLessThan((2 * CLIENTS) / 16)
})

import type { Page } from 'playwright-core'
import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { readConfig } from '../../server/config.ts'
import { openDeps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { startedBrowser } from '../support/browser.ts'
import { watchShifts } from '../support/layout-shifts.ts'
import { startShop } from '../support/shop.ts'
import { requireBuiltWeb } from '../support/web.ts'
import { openPanel, sendMessage } from '../support/widget-page.ts'
import { startProduct } from './child.ts'
import { median, type Result } from './result.ts'
import { makeWorkspace } from './workspace.ts'

const VISITS = 5
const MESSAGES = 5
/** After the page has loaded, and after the last message. */
const SETTLE_MS = 1_500

interface Watched {
  tasks: number[]
  shifts: number[]
}

/** What the widget does to the page of a website: tasks that hold it up, and shifts of what is on it. */
export async function benchWidgetPage(): Promise<Result[]> {
  await requireBuiltWeb()
  const workspace = await makeWorkspace()
  let key = ''
  const product = await startProduct(workspace.folder)
  const body = '<p>Our lamps are made by hand.</p>'.repeat(200)
  const shop = startShop(`http://127.0.0.1:${product.port}`, () => key, { '/': { body } })
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: workspace.folder }), { log })
  const { widget } = await createWidget(deps, workspace.orgId, { name: 'Shop', origins: [shop.origin] })
  key = widget.key
  await deps.database.close()
  const browser = await startedBrowser()
  const all: Watched[] = []
  try {
    for (let visit = 0; visit < VISITS; visit += 1) {
      const context = await browser.newContext()
      const page = await context.newPage()
      await watchTasks(page)
      await watchShifts(page)
      await page.goto(`${shop.origin}/`)
      await page.waitForTimeout(SETTLE_MS)
      await openPanel(page)
      for (let number = 0; number < MESSAGES; number += 1) await sendMessage(page, `Message ${number}`)
      await page.waitForTimeout(SETTLE_MS)
      all.push(await page.evaluate<Watched>('({ tasks, shifts })'))
      await context.close()
    }
  } finally {
    await browser.close()
    await shop.stop()
    await product.stop()
    workspace.remove()
  }
  // The median of the visits: on a busy machine any task takes long once.
  const longest = all.map(({ tasks }) => Math.max(0, ...tasks))
  const shifts = all.flatMap((one) => one.shifts)
  const detail = `${VISITS} first visits with ${MESSAGES} messages each`
  return [
    {
      name: 'Longest task of a page with the widget',
      measured: median(longest),
      unit: 'ms',
      target: 50,
      wanted: 'at most',
      detail: `${detail}, the longest of each: ${longest.map((ms) => ms.toFixed(0)).join(', ')} ms`,
    },
    {
      name: 'Layout shifts of a page with the widget',
      measured: shifts.length,
      unit: 'shifts',
      target: 0,
      wanted: 'at most',
      detail,
    },
  ]
}

function watchTasks(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { tasks })
    // A browser reports only tasks of more than 50 ms.
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration)
    }).observe({ type: 'longtask', buffered: true })
  })
}

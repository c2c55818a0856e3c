import type { Page } from 'playwright-core'

interface LayoutShift extends PerformanceEntry {
  sources: { node: Node | null }[]
}

/**
 * Collects in `window.shifts` when something on the page moved. What moves inside the widget is its own: the page can't see
 * these nodes. Whether a click or a key came before depends on how busy the machine is, so it doesn't count.
 */
export function watchShifts(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(globalThis, { shifts })
    new PerformanceObserver((list) => {
      for (const { startTime, sources } of list.getEntries() as LayoutShift[]) {
        if (sources.some(({ node }) => node !== null)) shifts.push(startTime)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

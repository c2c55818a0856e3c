import type { Page } from 'playwright-core'

interface LayoutShift extends PerformanceEntry {
  hadRecentInput: boolean
  sources: { node: Node | null }[]
}

/**
 * Collects in `window.shifts` when something on the page moved. What moves inside the widget after a click or a key is its
 * own: the page can't see these nodes, and browsers don't count it (Layout Instability, section 2.3).
 */
export function watchShifts(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(globalThis, { shifts })
    new PerformanceObserver((list) => {
      for (const { startTime, hadRecentInput, sources } of list.getEntries() as LayoutShift[]) {
        if (!hadRecentInput || sources.some(({ node }) => node !== null)) shifts.push(startTime)
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

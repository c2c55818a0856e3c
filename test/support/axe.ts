import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const COLOURS: RunOptions = { runOnly: ['color-contrast', 'link-in-text-block'] }

/**
 * What makes the page hard or impossible to use for people who cannot see it, or not well, or use no mouse: a sentence
 * each, with where it is. Looks at what is on the page now, in its present theme.
 */
export async function accessibilityFaults(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await install(page)
  const given = JSON.stringify({ resultTypes: ['violations'], ...options })
  const { violations } = await page.evaluate<Results>(`axe.run(document, ${given})`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`))
}

/** The same in both themes; between them nothing but the colours differs. Leaves the page in the light one. */
export async function accessibilityFaultsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  const inTheDark = await accessibilityFaults(page, COLOURS)
  await page.emulateMedia({ colorScheme: 'light' })
  const faults = await accessibilityFaults(page)
  return [...faults, ...inTheDark.map((fault) => `In the dark theme, ${fault}`)]
}

/** Not by a script element: the content policy of the pages forbids it. `page.evaluate` takes up to five times as long. */
async function install(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Runtime.evaluate', { expression: AXE })
  await devTools.detach()
}

interface Results {
  violations: { id: string; impact?: string; help: string; nodes: { target: string[] }[] }[]
}

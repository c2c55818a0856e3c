import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * What makes the page hard or impossible to use for people who cannot see it, or not well, or use no mouse: a sentence
 * each, with where it is. Looks at what is on the page now, in its present theme.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Not by a script element: the content policy of the pages forbids it.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<Results>('axe.run(document, { resultTypes: ["violations"] })')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`))
}

interface Results {
  violations: { id: string; impact?: string; help: string; nodes: { target: string[] }[] }[]
}

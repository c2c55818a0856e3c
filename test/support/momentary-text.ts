import type { Page } from 'playwright-core'

/**
 * Waits until a text or a label is on the page that stays for a moment only. The page itself looks for it, so call this
 * before what makes it appear: on a busy machine it may be gone when a test looks again.
 */
export async function showsForMoment(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (path) => document.evaluate(path, document, null, XPathResult.BOOLEAN_TYPE).booleanValue,
    `//text()[normalize-space()="${text}"] | //@aria-label[.="${text}"]`,
  )
}

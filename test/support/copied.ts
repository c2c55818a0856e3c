import type { Page } from 'playwright-core'

/**
 * Waits until a button says that it has copied, which it does for two seconds. The page itself looks, so call it before the
 * click: a busy machine may look again only after these.
 */
export async function saysCopied(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('button')].some(
      (button) => (button.ariaLabel ?? button.textContent ?? '').trim() === 'Copied',
    ),
  )
}

import type { Page } from 'playwright-core'

const KEPT = 'toastsOfTests'

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

/** Keeps what toasts say on each page that is loaded from here on, for `toastSaid`. */
export async function keepToasts(page: Page): Promise<void> {
  await page.addInitScript((kept) => {
    const said: string[] = []
    Object.assign(window, { [kept]: said })
    const look = () => {
      for (const toast of document.querySelectorAll('.toaster-toast')) said.push(toast.textContent ?? '')
    }
    new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true })
  }, KEPT)
}

/** Waits for a toast that may be gone again. */
export async function toastSaid(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    ([kept = '', part = '']) => Reflect.get(window, kept)?.some((said: string) => said.includes(part)),
    [KEPT, text],
  )
}

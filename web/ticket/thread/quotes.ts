import { createSignal } from 'solid-js'
import type { cutQuotes } from '../../../server/formatting/cut-quotes.ts'

/** Every quote has a line with one of these (`cutQuotes`). */
const MAY_QUOTE = /^[ \t]{0,3}>|[:：]/m

const [cutter, setCutter] = createSignal<typeof cutQuotes>()

/**
 * Loads what knows how mail programs quote, before a thread is shown whose texts may need it, so that nothing folds later.
 * If that fails, texts are shown whole.
 */
export async function loadQuoteCutter(): Promise<void> {
  if (cutter()) return
  const loaded = await import('../../../server/formatting/cut-quotes.ts').catch(() => undefined)
  if (loaded) setCutter(() => loaded.cutQuotes)
}

/** Whether showing a text needs `loadQuoteCutter`. */
export function mayQuote(text: string): boolean {
  return MAY_QUOTE.test(text)
}

/** The new text, and the mail quoted around it. */
export function splitQuotes(text: string): ReturnType<typeof cutQuotes> {
  return (mayQuote(text) && cutter()?.(text)) || { text, quoted: '' }
}

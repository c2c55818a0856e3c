import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

// A new context starts a process and compiles the scripts of the page again, which takes longer than most tests. So the
// context that a test leaves is emptied and serves the next test with the same options.

type Options = BrowserContextOptions & { baseURL: string }

interface Kept {
  context: BrowserContext
  /** Stays open at the service: it keeps the process alive, and reaches the storage. */
  keeper: Page
  key: string
}

/** Some test files have a service of their own. Contexts of earlier files are closed. */
const MAX_IDLE = 5
const KEEPER_PATH = '/empty-page-of-tests'

const idle: Kept[] = []
const taken = new Map<BrowserContext, Kept>()

/** A context without cookies and stored values, which no other test has until `giveBack`. */
export async function takeContext(browser: Browser, options: Options): Promise<BrowserContext> {
  const key = JSON.stringify(options)
  const found = idle.find((kept) => kept.key === key)
  if (found) idle.splice(idle.indexOf(found), 1)
  const kept = found ?? (await keep(await browser.newContext(options), key))
  taken.set(kept.context, kept)
  return kept.context
}

/** Closes the pages of a context, and takes away all that they left. */
export async function giveBack(context: BrowserContext): Promise<void> {
  const kept = taken.get(context)
  if (!kept) throw new Error('This context was not taken.')
  taken.delete(context)
  const others = context.pages().filter((page) => page !== kept.keeper)
  await Promise.all(others.map((page) => page.close()))
  await context.setOffline(false)
  await context.clearCookies()
  await kept.keeper.evaluate(() => localStorage.clear())
  idle.push(kept)
  while (idle.length > MAX_IDLE) await idle.shift()?.context.close()
}

async function keep(context: BrowserContext, key: string): Promise<Kept> {
  const keeper = await context.newPage()
  await keeper.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await keeper.goto(KEEPER_PATH)
  return { context, keeper, key }
}

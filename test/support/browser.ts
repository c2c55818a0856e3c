import { test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { findChromium } from '../programs/chromium.ts'
import type { SignedInAgent } from './agents.ts'
import { giveBack, takeContext } from './browser-contexts.ts'
import { requireBuiltWeb } from './web.ts'

const CHROMIUM = findChromium()
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One renderer process for all windows of a context, and none for drawing.
  '--renderer-process-limit=1',
  '--in-process-gpu',
  // Without graphics of its own, npm's Chromium would end with the part that looks for them.
  '--disable-software-rasterizer',
  '--disable-site-isolation-trials',
]
const DESKTOP = { width: 1440, height: 900 }
// Limits for a busy machine. A passing test does not wait for them.
const MAX_WAIT_MS = 30_000
const MAX_TEST_MS = 180_000
const PROBE_PATH = '/is-intercepted'
/** The console also shows an answer such as 401; the tests look at answers themselves. */
const FAILED_LOAD = /^Failed to load resource/

if (!CHROMIUM) {
  console.warn('Chromium is not installed: nothing was tested in a browser. (bun run programs)')
  if (process.env.CI) throw new Error('CI runs every test: install Chromium.')
}

// Before the first test: on a busy machine a build takes longer than one test is given.
if (CHROMIUM) await requireBuiltWeb()

/** The windows of the test that runs. */
let windows = new AsyncDisposableStack()

/**
 * `test` for what needs a browser: skipped, after a warning, where there is no Chromium; in CI that is a failure. Closes the
 * windows that the test has opened, and fails when one of their pages had faults.
 */
export function browserTest(name: string, run: () => Promise<void>, timeout = MAX_TEST_MS): void {
  test.skipIf(!CHROMIUM)(name, () => closingWindows(run), { timeout })
}

/** The same over https, which ends npm's Chromium: it lacks libraries of the system. */
export function httpsBrowserTest(name: string, run: () => Promise<void>): void {
  const isOfMachine = CHROMIUM !== undefined && Object.keys(CHROMIUM.env).length === 0
  if (CHROMIUM && !isOfMachine) console.warn(`Not tested with the Chromium of npm: ${name}`)
  test.skipIf(!isOfMachine)(name, () => closingWindows(run), { timeout: MAX_TEST_MS })
}

async function closingWindows(run: () => Promise<void>): Promise<void> {
  await using opened = new AsyncDisposableStack()
  windows = opened
  await run()
}

export interface Visit {
  /** Where the service answers. */
  url: string
  /** Signed in from the start. */
  agent?: SignedInAgent
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  /** Fingers instead of a mouse. */
  isTouch?: boolean
  /** UTC unless given. */
  timeZone?: string
  /** Motion is off unless it is what is tested. */
  hasMotion?: boolean
  /** The browser has never loaded anything from the service. Other windows of a file share its cache of scripts. */
  isFirstVisit?: boolean
  /** The service is behind https with a certificate of its own. */
  isSelfSigned?: boolean
  /** The fonts of the page do not load, so that it is shown in one of the machine. */
  isFontMissing?: boolean
}

const faultsOfPages = new WeakMap<Page, string[]>()

/** Errors of scripts, of the console, of the content policy, and answers that blame the server, so far. */
export function faultsOf(page: Page): string[] {
  return faultsOfPages.get(page) ?? []
}

/**
 * Opens a window without cookies and stored values, with a page at nothing: `const page = await openPage({ url })`, then
 * `page.goto('/inbox')`. It is closed when the test ends. One Chromium serves the whole process.
 */
export async function openPage(visit: Visit): Promise<Page> {
  const options = optionsOf(visit)
  const browser = await startedBrowser()
  const isOwn = visit.isFirstVisit || visit.isFontMissing
  const context = isOwn ? await browser.newContext(options) : await takeContext(browser, options)
  context.setDefaultTimeout(MAX_WAIT_MS)
  if (visit.isFontMissing) await context.route('**/*.woff2', (route) => route.abort())
  if (visit.agent) await context.addCookies([cookieOf(visit.agent, visit.url)])
  const page = await context.newPage()
  const faults = collectFaults(page)
  faultsOfPages.set(page, faults)
  windows.defer(async () => {
    await (isOwn ? context.close() : giveBack(context))
    if (faults.length > 0) throw new Error(`The page had faults:\n${faults.join('\n')}`)
  })
  return page
}

/**
 * `page.route` that the page's next request passes. Chromium answers before its renderer knows, so a request right after
 * it would still go to the service. For pages of the service: those of a shop may not ask for others.
 */
export async function interceptRequests(page: Page, ...route: Parameters<Page['route']>): Promise<void> {
  await page.route(...route)
  if (page.url() === 'about:blank') return
  await page.route(`**${PROBE_PATH}`, (probe) => probe.fulfill({ status: 299 }))
  await page.evaluate(async (path) => {
    while ((await fetch(path)).status !== 299);
  }, PROBE_PATH)
  await page.unroute(`**${PROBE_PATH}`)
}

function optionsOf(visit: Visit): BrowserContextOptions & { baseURL: string } {
  return {
    baseURL: visit.url,
    viewport: { width: visit.width ?? DESKTOP.width, height: visit.height ?? DESKTOP.height },
    colorScheme: visit.theme ?? 'light',
    hasTouch: visit.isTouch ?? false,
    reducedMotion: visit.hasMotion ? 'no-preference' : 'reduce',
    locale: 'en-GB',
    timezoneId: visit.timeZone ?? 'UTC',
    ignoreHTTPSErrors: visit.isSelfSigned ?? false,
    permissions: ['clipboard-read', 'clipboard-write'],
  }
}

function collectFaults(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`A script threw: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' || FAILED_LOAD.test(message.text())) return
    faults.push(`The console says: ${message.text()}`)
  })
  page.on('response', (response) => {
    const isAsset = new URL(response.url()).pathname.startsWith('/assets/')
    if (response.status() >= 500 || (isAsset && response.status() >= 400)) {
      faults.push(`${response.url()} answered ${response.status()}.`)
    }
  })
  return faults
}

function cookieOf({ cookie }: SignedInAgent, url: string) {
  const [name = '', value = ''] = cookie.split('=', 2)
  return { name, value, url, httpOnly: true, sameSite: 'Lax' as const }
}

let started: Promise<Browser> | undefined

/** The one Chromium of this process, which ends with it. */
export function startedBrowser(): Promise<Browser> {
  started ??= start()
  return started
}

async function start(): Promise<Browser> {
  if (!CHROMIUM) throw new Error('Chromium is not installed.')
  const { chromium } = await import('playwright-core')
  const { path, env } = CHROMIUM
  return chromium.launch({ executablePath: path, args: FLAGS, env: { ...process.env, ...env } })
}

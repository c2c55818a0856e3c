import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { createAgent } from '../../server/agents/agents.ts'
import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { startedBrowser } from '../support/browser.ts'
import { requireBuiltWeb } from '../support/web.ts'
import { startProduct } from './child.ts'
import { fillInbox } from './full-inbox.ts'
import { answeredKeys, framesWhile, watchKeys, whenPainted } from './page-clock.ts'
import { median, type Result } from './result.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const TICKETS = 100_000
const OPENED = 500
const FIRST_TICKETS = 20
const SIGN_INS = 5
const TURNS_OF_WHEEL = 150
const WHEEL_PX = 240
const FRAME_MS = 16
const PASSWORD = 'a long enough password'
const EMAIL = 'ana@acme.example'
const DESKTOP = { width: 1440, height: 900 }
const ROW = '[role=option]'
const EDITOR = '.composer-field[contenteditable=true]'
/** For the parts of the page that are loaded when the list is shown. */
const READING_MS = 2_500

/** The inbox in a real browser, beside 100,000 tickets on the server. */
export async function benchPage(): Promise<Result[]> {
  await requireBuiltWeb()
  const workspace = await makeWorkspace()
  const agentId = await addAgent(workspace)
  fillInbox(workspace, TICKETS, agentId)
  leaveUnindexed(workspace)
  const server = await startProduct(workspace.folder)
  const browser = await startedBrowser()
  const url = `http://127.0.0.1:${server.port}`
  try {
    return [await firstList(browser, url), ...(await daysWork(browser, url))]
  } finally {
    await browser.close()
    await server.stop()
    workspace.remove()
  }
}

/** From the click on "Sign in" to the first rows on the screen, with nothing in the browser's cache. */
async function firstList(browser: Browser, url: string): Promise<Result> {
  const times: number[] = []
  for (let time = 0; time < SIGN_INS; time += 1) {
    const page = await (await browser.newContext({ viewport: DESKTOP })).newPage()
    times.push(await signIn(page, url))
    await page.context().close()
  }
  const detail = times.map((time) => time.toFixed(0)).join(', ')
  return atMost('first list after "Sign in", password hash included', median(times), 500, 'ms', detail)
}

async function daysWork(browser: Browser, url: string): Promise<Result[]> {
  const page = await (await browser.newContext({ viewport: DESKTOP })).newPage()
  await signIn(page, url)
  await page.goto(`${url}/inbox/open`)
  await page.locator(ROW).first().waitFor()
  return [...(await keys(page)), await scrolling(page), await memory(page), await editorReady(page, url)]
}

/** From the click on the first ticket of a page to the editor in which it can be answered. */
async function editorReady(page: Page, url: string): Promise<Result> {
  const times: number[] = []
  for (let time = 0; time < FIRST_TICKETS; time += 1) {
    await page.goto(`${url}/inbox/open`)
    await page.locator(ROW).first().waitFor()
    await Bun.sleep(READING_MS)
    const painted = whenPainted(page, EDITOR)
    await page.locator(ROW).first().click()
    times.push(await painted)
  }
  await page.goto(`${url}/inbox/open`)
  await page.locator(ROW).first().waitFor()
  times.sort((one, other) => one - other)
  const detail = `${times.length} pages, median ${at(times, 0.5).toFixed(0)}, longest ${times.at(-1)?.toFixed(0)} ms`
  return atMost('click on the first ticket to the editor, p95', at(times, 0.95), 300, 'ms', detail)
}

async function signIn(page: Page, url: string): Promise<number> {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  const painted = whenPainted(page, ROW)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return painted
}

/** From the key to the first picture in which something has changed. */
async function keys(page: Page): Promise<Result[]> {
  await watchKeys(page)
  await page.locator(ROW).first().focus()
  const list = await answeredKeys(page, [...'jjjjjjjjjjkkkkkxxjjjj'.repeat(5)])
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: /reply/i }).waitFor()
  const open = await answeredKeys(page, [...'jjjjjjjjjjkkkkk'.repeat(5)])
  const changes = await answeredKeys(page, [...'epepepepepepepe'])
  await page.locator(EDITOR).focus()
  const typed = await answeredKeys(page, [...'Hi **Ana**, thank you for your message! '.repeat(3)])
  return [
    ofKeys('key press in the list, p95', list),
    ofKeys('key press to the next ticket, p95', open),
    ofKeys('key press that changes a ticket, p95', changes),
    ofKeys('key press in the editor, p95', typed),
  ]
}

async function scrolling(page: Page): Promise<Result> {
  await page.locator('.virtual-list').hover()
  const frames = await framesWhile(page, async () => {
    for (let turn = 0; turn < TURNS_OF_WHEEL; turn += 1) {
      await page.mouse.wheel(0, WHEEL_PX)
      await Bun.sleep(FRAME_MS)
    }
  })
  const rows = Math.round((TURNS_OF_WHEEL * WHEEL_PX) / 68)
  return atMost(
    'longest frame while scrolling',
    frames.at(-1) ?? 0,
    50,
    'ms',
    `${frames.length} frames over ${rows} rows, p99 ${at(frames, 0.99).toFixed(0)} ms`,
  )
}

async function memory(page: Page): Promise<Result> {
  const ids = new Set<string>()
  await page.goto(page.url().replace(/\/inbox\/.*/, '/inbox/resolved'))
  await page.locator(ROW).first().click()
  while (ids.size < OPENED) {
    await page.keyboard.press('j')
    await page.waitForFunction((known) => !known.includes(location.pathname), [...ids].slice(-1))
    ids.add(new URL(page.url()).pathname)
    await page.getByRole('textbox', { name: /reply/i }).waitFor()
  }
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('HeapProfiler.collectGarbage')
  const { metrics } = await cdp.send('Performance.enable').then(() => cdp.send('Performance.getMetrics'))
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN
  const heap = metric('JSHeapUsedSize') / 2 ** 20
  return atMost(
    `memory of the page after ${OPENED} tickets, the whole renderer process`,
    await rendererMiB(page),
    150,
    'MiB',
    `${heap.toFixed(0)} MiB of script heap, ${metric('Nodes')} nodes`,
  )
}

/** What the page's process holds alone: libraries that all processes of the browser share are not counted. */
async function rendererMiB(page: Page): Promise<number> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The page has no browser.')
  const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')
  const sizes = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateMiB(id))
  return Math.max(...sizes)
}

function privateMiB(pid: number): number {
  const lines = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_\w+:\s+(\d+) kB$/gm)
  return sum([...lines].map(([, kib]) => Number(kib))) / 1024
}

async function addAgent({ folder, orgId }: Workspace): Promise<string> {
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: folder }), { log })
  const input = { name: 'Ana Pires', email: EMAIL, role: 'admin', password: PASSWORD } as const
  const { id } = await createAgent(deps, orgId, input)
  await deps.database.close()
  return id
}

/** Else the server would read old tickets into the search index beside the browser, and both would be measured. */
function leaveUnindexed({ file, orgId }: Workspace): void {
  const database = new Database(file)
  database.query('INSERT INTO search_cursors (org_id, event_number) VALUES (?, 0)').run(orgId)
  database.close()
}

function ofKeys(name: string, times: number[]): Result {
  const detail = `${times.length} keys, median ${at(times, 0.5).toFixed(0)}, longest ${times.at(-1)?.toFixed(0)} ms`
  return atMost(name, at(times, 0.95), 50, 'ms', detail)
}

/** Of values in rising order. */
function at(values: number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function atMost(
  name: string,
  measured: number,
  target: number,
  unit: Result['unit'],
  detail: string,
): Result {
  return { name, measured, unit, target, wanted: 'at most', detail }
}

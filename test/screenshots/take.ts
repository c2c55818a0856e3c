import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { startedBrowser } from '../support/browser.ts'
import { requireBuiltWeb } from '../support/web.ts'
import { runProgramOn } from './demo-server.ts'
import { type Shot, shotsOf } from './shots.ts'

// `bun run screenshots [part of a name]`: every page of the demo in both themes and three widths, into `screenshots/`.

const FOLDER = join(import.meta.dir, '../../screenshots')
const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1000, height: 800 },
  { width: 390, height: 844 },
]
/** Rows and threads come, fonts settle. */
const SETTLE_MS = 500
const MAX_WAIT_MS = 8_000

const [wanted = ''] = process.argv.slice(2)
await requireBuiltWeb()
const emptyFolder = join(tmpdir(), `bellhop-empty-${process.pid}`)
const [demo, empty] = await Promise.all([
  runProgramOn(['--demo'], {}),
  runProgramOn([], { BELLHOP_DATA: emptyFolder }),
])
const browser = await startedBrowser()
const shots = shotsOf(demo.ids).filter(({ name }) => name.includes(wanted))
let failed = 0
for (const theme of THEMES) {
  for (const size of SIZES) {
    for (const shot of shots) failed += (await take(browser, shot, theme, size)) ? 0 : 1
  }
}
await browser.close()
await Promise.all([demo.stop(), empty.stop()])
rmSync(emptyFolder, { recursive: true, force: true })
const count = shots.length * THEMES.length * SIZES.length
console.log(`${count - failed} pictures are in ${FOLDER}.`)
process.exit(failed > 0 ? 1 : 0)

async function take(
  on: Browser,
  shot: Shot,
  theme: (typeof THEMES)[number],
  size: (typeof SIZES)[number],
): Promise<boolean> {
  const folder = join(FOLDER, `${theme}-${size.width}`)
  mkdirSync(folder, { recursive: true })
  const context = await on.newContext({
    baseURL: shot.onEmptyServer ? empty.url : demo.url,
    viewport: size,
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  context.setDefaultTimeout(MAX_WAIT_MS)
  const cookie = demo.cookies[shot.as ?? 'admin']
  if (cookie && !shot.onEmptyServer) await context.addCookies([{ ...cookie, url: demo.url }])
  const page = await context.newPage()
  try {
    await page.goto(shot.path)
    await page.waitForTimeout(SETTLE_MS)
    await shot.prepare?.(page)
    await page.waitForTimeout(SETTLE_MS)
    return true
  } catch (error) {
    console.error(
      `${theme} ${size.width} ${shot.name}: ${error instanceof Error ? error.message.split('\n')[0] : error}`,
    )
    return false
  } finally {
    await page.screenshot({ path: join(folder, `${shot.name}.png`) })
    await context.close()
  }
}

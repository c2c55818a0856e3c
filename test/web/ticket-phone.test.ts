import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { field, openTicket, openWorkspace } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const EIGHT_LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight'
/** A phone while its keyboard is up, upright and on its side; and one whose keyboard leaves next to nothing. */
const SCREENS = [
  { width: 390, height: 420 },
  { width: 844, height: 390 },
  { width: 844, height: 200 },
]
const PHONE = { width: 390, height: 844, isTouch: true }
const bellhop = await sharedBellhop()

for (const isFontMissing of [false, true]) {
  const font = isFontMissing ? 'a font of the machine' : 'Inter'
  browserTest(`on a phone the buttons and the line one types in stay in sight, in ${font}`, async () => {
    const { ben, ticket } = await openWorkspace(bellhop)
    const page = await openTicket(bellhop, ben, ticket.id, { ...PHONE, isFontMissing })
    for (const screen of SCREENS) {
      await page.setViewportSize(screen)
      await field(page).fill('')
      await field(page).tap()
      for (const line of EIGHT_LINES.split('\n')) {
        await page.keyboard.type(line)
        const name = `${screen.width} × ${screen.height}, ${line}`
        await waitForSight(page, screen.height, name)
        await page.keyboard.press('Enter')
      }
    }
  })
}

browserTest('a keyboard that comes up leaves the buttons and the end of the text in sight', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const page = await openTicket(bellhop, ben, ticket.id, PHONE)
  await field(page).tap()
  await page.keyboard.type(EIGHT_LINES)
  await page.setViewportSize({ width: 390, height: 420 })
  await waitForSight(page, 420)
})

browserTest(
  'on a narrow page a ticket opened by key has the focus, and Ctrl+K its form beside the text',
  async () => {
    const { ben, ticket } = await openWorkspace(bellhop)
    const page = await openPage({ url: bellhop.url, agent: ben, width: 390, height: 844 })
    await page.goto('/inbox/open')
    await page.locator('[role=option]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${ticket.id}`)
    await page.locator('.ticket-pane:focus').waitFor()

    // The buttons for formatting are hidden until they are asked for.
    await page.keyboard.press('r')
    await page.locator('.composer-field[contenteditable=true]:focus').waitFor()
    await page.keyboard.press('Control+k')
    const form = page.getByRole('dialog', { name: 'Link' })
    await form.getByLabel('Address').and(page.locator(':focus')).waitFor()
    await eventually(async () => {
      const [at, text] = [await form.boundingBox(), await field(page).boundingBox()]
      return at && text && Math.abs(at.y + at.height - text.y) < 24
    })
  },
)

/** The page fits its height to the text after a keystroke, not during it. */
async function waitForSight(page: Page, height: number, name = ''): Promise<void> {
  let hidden: string[] = []
  try {
    await eventually(async () => {
      hidden = await outOfSight(page, height)
      return hidden.length === 0
    })
  } catch {
    expect(hidden, name).toEqual([])
  }
}

/** What a person who types cannot see, or has too much of. */
function outOfSight(page: Page, height: number): Promise<string[]> {
  return page.evaluate((visible) => {
    const text = document.querySelector('.composer-field')
    const foot = document.querySelector('.writing-area-foot')
    if (!text || !foot) return ['the composer']
    const [box, send] = [text.getBoundingClientRect(), foot.getBoundingClientRect()]
    // Below the last line the field has a margin of 4 pixels, and a browser rounds.
    const isAtEnd = text.scrollHeight - text.scrollTop - text.clientHeight <= 5
    return Object.entries({
      'the buttons': send.top < 0 || send.bottom > visible,
      'the last line': !isAtEnd || box.bottom > send.top,
      'a field higher than two fifths': box.height > visible * 0.4,
      'the beginning of the field': box.top < 0,
    }).flatMap(([name, isSo]) => (isSo ? [name] : []))
  }, height)
}

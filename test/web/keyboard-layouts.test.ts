import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import {
  makeOrganization,
  makeTickets,
  openList,
  rowOf,
  waitForFocus,
  waitForStatus,
} from '../support/inbox.ts'

const bellhop = await sharedBellhop()

browserTest('on a keyboard with Cyrillic letters, keys are pressed by their place', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Cyrillic')
  const [, second] = await makeTickets(client, ['First', 'Second', 'Third'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await press(page, 'о', 'KeyJ')
  await waitForFocus(page, 'Second')
  await press(page, 'з', 'KeyP')
  await waitForStatus(agent, String(second?.id), 'pending')
  await press(page, 'я', 'KeyZ', { ctrlKey: true })
  await waitForStatus(agent, String(second?.id), 'open')
  await press(page, 'О', 'KeyJ', { shiftKey: true })
  await page.getByText('2 selected').waitFor()
  await press(page, 'г', 'KeyU')
  await page.getByRole('toolbar').waitFor({ state: 'detached' })

  await press(page, 'х', 'BracketLeft')
  await page.getByRole('navigation').waitFor({ state: 'detached' })
  await press(page, 'х', 'BracketLeft')
  await press(page, ',', 'Slash', { shiftKey: true })
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await press(page, 'л', 'KeyK', { ctrlKey: true })
  await page.getByRole('combobox', { name: 'Search commands' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await press(page, '.', 'Slash')
  await page.locator('[role=combobox]:focus').waitFor()
})

browserTest('in an empty reply, Ctrl and я take back the last thing that was done', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Cyrillic reply')
  const [ticket] = await makeTickets(client, ['Printer'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, `/inbox/open/${ticket?.id}`)
  await page.getByRole('textbox', { name: /^Reply to/ }).waitFor()
  await press(page, 'з', 'KeyP')
  await waitForStatus(agent, String(ticket?.id), 'pending')
  await press(page, 'к', 'KeyR')
  await page.locator('.composer-field:focus').waitFor()
  await press(page, 'я', 'KeyZ', { ctrlKey: true })
  await waitForStatus(agent, String(ticket?.id), 'open')
})

browserTest('on layouts with Latin letters, shortcuts are the printed letters', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Latin')
  await makeTickets(client, ['First', 'Second'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  // Dvorak.
  await press(page, 'j', 'KeyC')
  await waitForFocus(page, 'First')
  // AZERTY: the key beside tab, and the one that English has for the slash.
  await press(page, '!', 'Slash')
  await rowOf(page, 'First').filter({ hasText: 'Marked as spam' }).waitFor()
  await press(page, 'a', 'KeyQ')
  await page.getByRole('combobox', { name: 'Assign the ticket' }).waitFor()
})

type Held = Pick<KeyboardEventInit, 'ctrlKey' | 'shiftKey'>

/** As a keyboard of that layout does it. */
async function press(page: Page, key: string, code: string, held: Held = {}): Promise<void> {
  await page.evaluate(
    (given) => {
      const event = new KeyboardEvent('keydown', { ...given, bubbles: true, cancelable: true })
      document.activeElement?.dispatchEvent(event)
    },
    { key, code, ...held },
  )
}

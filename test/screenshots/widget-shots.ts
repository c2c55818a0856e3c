import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { SignedInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { removeTemporaryFolders } from '../support/folder.ts'
import { paintedPng } from '../support/images.ts'
import { makeWidget, startShop } from '../support/shop.ts'
import {
  messageOf,
  openPanel,
  panelOf,
  sendMessage,
  ticketWith,
  answer as writeAnswer,
  writeMessage,
} from '../support/widget-page.ts'

interface WidgetShot {
  name: string
  path?: string
  prepare(page: Page, visit: Visit): Promise<unknown>
}

interface Visit {
  admin: SignedInAgent
  /** Of this picture alone, so that its ticket is found. */
  text: string
}

export interface Size {
  width: number
  height: number
}

const SETTLE_MS = 400
const MAX_WAIT_MS = 4_000
const WAITING_MS = 61_000
const IDLE_MS = 5_000
const LONG =
  'https://shop.example/lamps/brass/very-long-name-of-a-lamp-that-never-ends-and-has-no-space?size=large'
const FORMATTED = `It is **on its way**. Here is what we know:

1. Packed on Monday
2. Handed to the carrier on *Tuesday*
   - [Track it](https://carrier.example/PB-1042)

> You asked for the address to be changed.

Use the code \`LAMP-10\`:

\`\`\`
curl https://shop.example/orders/1042
\`\`\``

const SHOTS: WidgetShot[] = [
  { name: 'closed', prepare: (page) => page.getByRole('button', { name: 'Open chat' }).waitFor() },
  { name: 'greeting', prepare: openPanel },
  { name: 'questions', path: '/asking', prepare: openPanel },
  {
    name: 'questions-faults',
    path: '/asking',
    async prepare(page) {
      await openPanel(page)
      await page.getByLabel('Email').fill('nonsense')
      await writeMessage(page, 'Hello')
      await page.getByText('Fill in this field.').first().waitFor()
    },
  },
  {
    name: 'sending',
    async prepare(page, { text }) {
      await openPanel(page)
      await page.route('**/messages/*', () => {})
      await writeMessage(page, text)
    },
  },
  {
    name: 'offline',
    async prepare(page, { text }) {
      await openPanel(page)
      await sendMessage(page, text)
      await page.context().setOffline(true)
      await writeMessage(page, 'And where is the shade?')
      await page.getByText('You’re offline.').waitFor()
    },
  },
  {
    name: 'refused',
    async prepare(page, { admin, text }) {
      await openPanel(page)
      await sendMessage(page, text)
      const { id } = await ticketWith(admin, text)
      await admin.call('PATCH', `/console/tickets/${id}/visitor`, { body: { isBlocked: true } })
      await writeMessage(page, 'Why does nobody answer?')
      await page.getByText('You can’t send messages here.').waitFor()
    },
  },
  {
    name: 'conversation',
    async prepare(page, visit) {
      const id = await begin(page, visit)
      await writeAnswer(visit.admin, id, { text: FORMATTED, format: 'markdown' })
      await panelOf(page).getByRole('link', { name: 'Track it' }).waitFor()
      await sendMessage(page, LONG)
      await writeAnswer(visit.admin, id, { text: 'Thank you, got it.' })
      await messageOf(page, 'Thank you, got it.').waitFor()
    },
  },
  {
    name: 'typing',
    async prepare(page, visit) {
      const id = await begin(page, visit)
      const { admin } = visit
      await admin.call('PUT', `/console/tickets/${id}/read`, {
        body: { messageId: await newest(admin, id) },
      })
      await panelOf(page).getByText('Seen', { exact: true }).waitFor()
      const presence = { pageId: 'page', ticketId: id, state: 'replying' }
      await admin.call('POST', '/console/presence', { body: presence })
    },
  },
  {
    name: 'files',
    async prepare(page, visit) {
      await begin(page, visit)
      const photo = { name: 'lamp.png', mimeType: 'image/png', buffer: Buffer.from(paintedPng(400, 260)) }
      const label = {
        name: 'A return label with a long name.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('x'),
      }
      const picker = panelOf(page).locator('input[type=file]')
      await picker.setInputFiles([photo, label])
      await page.getByRole('button', { name: 'Send' }).and(page.locator('[aria-disabled=false]')).click()
      await page.getByRole('button', { name: 'Download lamp.png' }).waitFor()
      await picker.setInputFiles([
        label,
        { ...label, name: 'A second file with a name that is longer than the row.pdf' },
      ])
    },
  },
  {
    name: 'menu',
    async prepare(page, visit) {
      await begin(page, visit)
      await page.getByRole('button', { name: 'More' }).click()
    },
  },
  {
    name: 'list',
    async prepare(page, visit) {
      const id = await begin(page, visit)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('button', { name: 'New conversation' }).click()
      await sendMessage(
        page,
        'A second question, which is so long that its preview does not fit in one line of the list',
      )
      await page.getByRole('button', { name: 'All conversations' }).click()
      await writeAnswer(visit.admin, id, { text: 'An answer to the first one' })
      await panelOf(page).getByText('An answer to the first one').waitFor()
    },
  },
  {
    name: 'unread',
    async prepare(page, visit) {
      const id = await begin(page, visit)
      await page.getByRole('button', { name: 'Close chat' }).first().click()
      await writeAnswer(visit.admin, id, { text: 'Hello' })
      await page.getByRole('button', { name: 'Open chat, 1 unread' }).waitFor()
    },
  },
  {
    name: 'ended',
    async prepare(page, visit) {
      await begin(page, visit)
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('button', { name: 'End conversation' }).click()
      await panelOf(page).getByText('This conversation has ended.').waitFor()
    },
  },
  {
    name: 'reach',
    async prepare(page, visit) {
      await begin(page, visit)
      await page.clock.runFor(WAITING_MS)
      await page.getByLabel('How can we reach you?').waitFor()
      await page.getByLabel('How can we reach you?').fill('nonsense')
      await page.getByRole('button', { name: 'Save' }).click()
    },
  },
  {
    name: 'no-storage',
    path: '/forbidden',
    prepare: openPanel,
  },
  {
    name: 'german',
    path: '/de',
    prepare: (page) => page.getByRole('button', { name: 'Chat öffnen' }).click(),
  },
  { name: 'right-to-left', path: '/rtl', prepare: begin },
]

/** The widget in each of its states, on the page of a shop. Returns how many pictures failed. */
export async function takeWidget(
  browser: Browser,
  given: { folder: string; themes: readonly ('light' | 'dark')[]; sizes: Size[]; wanted: string },
): Promise<{ taken: number; failed: number }> {
  const bellhop = await startBellhop({ settings: { BELLHOP_TRUST_PROXY: '127.0.0.0/8,::1/128' } })
  let [key, askingKey] = ['', '']
  const storage = `for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, { get() { throw new DOMException('Forbidden', 'SecurityError') } })
}`
  const body = '<p>Our lamps are made by hand.</p>'.repeat(30)
  const shop = startShop(bellhop.url, () => key, {
    '/': { body },
    '/forbidden': { body, script: storage },
    '/de': { body, language: 'de' },
    '/rtl': { body, direction: 'rtl', language: 'ar' },
    '/asking': {
      body,
      get key() {
        return askingKey
      },
    },
  })
  const client = await bellhop.organization()
  const { admin, widget } = await makeWidget(bellhop, client, shop.origin)
  key = widget.key
  const monday = { from: '09:00', to: '09:01' }
  const asking = await makeWidget(bellhop, client, shop.origin, {
    name: 'Asking',
    appearance: {
      title: 'Acme',
      greeting: 'Welcome! What can we do for you?',
      color: '#ffd400',
      position: 'left',
    },
    questions: {
      name: 'optional',
      email: 'required',
      fields: [{ key: 'order', label: 'Order number', isRequired: true }],
    },
    hours: { timeZone: 'UTC', days: [monday, null, null, null, null, null, null], awayText: '' },
  })
  askingKey = asking.widget.key
  const shots = SHOTS.filter(({ name }) => `widget-${name}`.includes(given.wanted))
  let [taken, failed] = [0, 0]
  for (const theme of given.themes) {
    for (const size of given.sizes) {
      for (const shot of shots) {
        taken += 1
        const isTaken = await takeOne(browser, shot, {
          theme,
          size,
          admin,
          origin: shop.origin,
          folder: given.folder,
          number: taken,
        })
        if (!isTaken) failed += 1
      }
    }
  }
  await shop.stop()
  await bellhop.stop()
  removeTemporaryFolders()
  return { taken, failed }
}

async function takeOne(
  browser: Browser,
  shot: WidgetShot,
  given: {
    theme: 'light' | 'dark'
    size: Size
    admin: SignedInAgent
    origin: string
    folder: string
    number: number
  },
): Promise<boolean> {
  const folder = join(given.folder, `${given.theme}-${given.size.width}`)
  mkdirSync(folder, { recursive: true })
  const context = await browser.newContext({
    baseURL: given.origin,
    viewport: given.size,
    colorScheme: given.theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  context.setDefaultTimeout(MAX_WAIT_MS)
  // One address may open 30 sessions a minute.
  await context.route('**/session', (route) => {
    const address = { 'x-forwarded-for': `203.0.113.${given.number}` }
    return route.continue({ headers: { ...route.request().headers(), ...address } })
  })
  const page = await context.newPage()
  try {
    await page.clock.install()
    await page.goto(shot.path ?? '/')
    await page.waitForSelector('bellhop-widget', { state: 'attached' })
    // The app of the widget loads when the page is idle.
    await page.clock.runFor(IDLE_MS)
    await shot.prepare(page, { admin: given.admin, text: `Where is order ${1_000 + given.number}?` })
    await page.waitForTimeout(SETTLE_MS)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message.split('\n')[0] : error
    console.error(`${given.theme} ${given.size.width} widget-${shot.name}: ${message}`)
    return false
  } finally {
    await page.screenshot({ path: join(folder, `widget-${shot.name}.png`) })
    await context.close()
  }
}

async function begin(page: Page, { admin, text }: Visit): Promise<string> {
  await openPanel(page)
  await sendMessage(page, text)
  return (await ticketWith(admin, text)).id
}

async function newest(admin: SignedInAgent, ticketId: string): Promise<string> {
  const { json } = await admin.call<{ messages: { id: string }[] }>('GET', `/v1/tickets/${ticketId}`)
  return json.messages.at(-1)?.id ?? ''
}

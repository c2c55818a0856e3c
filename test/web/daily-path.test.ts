import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { createAgent } from '../../server/agents/agents.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'
import { goToList } from '../support/inbox.ts'
import { readThread, sendNow } from '../support/threads.ts'
import { thread } from '../support/ticket-page.ts'
import { readTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'correct horse battery'
const bellhop = await startBellhop({ settings: { BELLHOP_RATE_LIMIT: '100000' } })
afterAll(() => bellhop.stop())

let made = 0

/** Another organization and agent at each try. */
async function workspace() {
  made += 1
  const email = `ana.${made}@acme.example`
  const acme = await bellhop.organization()
  const ids: string[] = []
  for (const subject of ['Oldest', 'Older', 'Newer', 'Newest']) {
    const { json } = await acme.call<{ id: string }>('POST', '/tickets', {
      body: { subject, message: `About ${subject}.`, customer: { email: `${subject}@example.com` } },
    })
    ids.push(json.id)
  }
  const ana = { name: 'Ana Pires', email, role: 'agent', password: PASSWORD } as const
  return { acme, ids, email, anaId: (await createAgent(bellhop.deps, acme.orgId, ana)).id }
}

browserTest(
  'a morning without a mouse: sign in, reply, note, tag, assign, set pending, search, resolve, undo',
  async () => {
    const { acme, ids, email, anaId } = await workspace()
    await using window = await openWindow({ url: bellhop.url })
    const { page } = window
    const press = (keys: string) => pressEach(page, keys)
    const [oldest = '', older = '', newer = '', newest = ''] = ids

    await page.goto('/sign-in')
    await page.getByLabel('Email').and(page.locator(':focus')).waitFor()
    await page.keyboard.type(email)
    await press('Tab')
    await page.keyboard.type(PASSWORD)
    await press('Enter')
    await page.getByRole('navigation').first().waitFor()

    await goToList(page, 'u')
    await page.getByRole('option', { name: 'Newest' }).waitFor()
    await press('j k Enter')
    await page.waitForURL(`**/${newest}`)
    await page.getByText('About Newest.').last().waitFor()
    await press('i')
    await eventually(async () => (await readTicket(acme, newest)).assignedTo === anaId)
    await press('r')
    await page.keyboard.type('Here it is.')
    await press('Control+Shift+Enter')
    await page.waitForURL(`**/${newer}`)

    await page.getByText('About Newer.').last().waitFor()
    await press('n')
    await page.keyboard.type('Ask the warehouse.')
    await press('Control+Enter')
    await eventually(async () => (await thread(page)).includes('note: Ask the warehouse.'))
    await press('Escape t')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.type('parcel')
    await press('Enter Escape')
    await eventually(async () => (await readTicket(acme, newer)).tags.includes('parcel'))
    await press('p')
    await eventually(async () => (await readTicket(acme, newer)).status === 'pending')

    await press('u')
    await page.locator('[role=option]:focus').waitFor()
    await press('/')
    await page.keyboard.type('older')
    await page.locator('mark', { hasText: 'Older' }).first().waitFor()
    await press('Enter')
    await page.locator('[role=option]:focus').waitFor()
    await press('e')
    await eventually(async () => (await readTicket(acme, older)).status === 'resolved')
    await press('Control+z')
    await eventually(async () => (await readTicket(acme, older)).status === 'open')

    expect((await readTicket(acme, oldest)).status).toBe('open')
    // Nobody waits for the ten seconds in which it could be taken back.
    const ben = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
    const [waiting] = (await readThread(ben, newest)).waiting
    if (waiting) await sendNow(ben, newest, waiting.id)
    await eventually(async () => (await readTicket(acme, newest)).status === 'resolved')
    expect((await readTicket(acme, newest)).messages.at(-1)).toMatchObject({
      text: 'Here it is.',
      agentName: 'Ana Pires',
    })
  },
)

async function pressEach(page: Page, keys: string): Promise<void> {
  for (const key of keys.split(' ')) await page.keyboard.press(key)
}

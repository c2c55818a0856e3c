import { afterAll, expect } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'
import { makeWidget, startShop } from '../support/shop.ts'
import { storedEvents } from '../support/subscription.ts'
import { field, openTicket } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'
import { answer, messageOf, openPanel, panelOf, sendMessage, ticketWith } from '../support/widget-page.ts'

const bellhop = await startBellhop()
const { deps } = bellhop
let key = ''
const shop = startShop(bellhop.url, () => key, {
  '/': {
    // Counts the notes of the sound.
    script: `window.notes = 0
const { start } = AudioScheduledSourceNode.prototype
AudioScheduledSourceNode.prototype.start = function (...at) { notes += 1; return start.apply(this, at) }`,
  },
})
const client = await bellhop.organization()
const { admin, widget } = await makeWidget(bellhop, client, shop.origin)
key = widget.key
afterAll(async () => {
  await shop.stop()
  await bellhop.stop()
})

browserTest('each side sees that the other types and has read, and typing is stored nowhere', async () => {
  await using window = await openWindow({ url: shop.origin })
  const { page } = window
  await page.goto('/')
  await openPanel(page)
  await sendMessage(page, 'Is anyone there?')
  const { id } = await ticketWith(admin, 'Is anyone there?')
  await using inbox = await openTicket(bellhop, admin, id)
  await panelOf(page).getByText('Seen', { exact: true }).waitFor()
  const thread = inbox.page.getByRole('region', { name: 'Thread' })
  const stored = (await storedEvents(deps, client.orgId)).length

  const message = page.getByRole('textbox', { name: 'Message' })
  await message.pressSequentially('I mean')
  await thread.getByText('Visitor is typing…').waitFor()
  await message.fill('')
  await thread.getByText('Visitor is typing…').waitFor({ state: 'detached' })

  await field(inbox.page).pressSequentially('Yes, I am')
  await panelOf(page).getByText('Ana Pires is typing…').waitFor()
  expect((await storedEvents(deps, client.orgId)).length).toBe(stored)
  await answer(admin, id, { text: 'Yes, I am here' })
  await messageOf(page, 'Yes, I am here').waitFor()
  await thread.getByText('Seen', { exact: true }).waitFor()
  await field(inbox.page).fill('')
  await panelOf(page).getByText('Ana Pires is typing…').waitFor({ state: 'detached' })
})

browserTest('a visitor turns the sound and the title of the page off, on every page', async () => {
  await using window = await openWindow({ url: shop.origin })
  const { page } = window
  await page.goto('/')
  await openPanel(page)
  await sendMessage(page, 'Ring me')
  const { id } = await ticketWith(admin, 'Ring me')
  const menu = async (item: string) => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: item }).click()
  }
  const close = () => page.getByRole('button', { name: 'Close chat' }).first().click()
  const notes = () => page.evaluate('notes')

  await close()
  await answer(admin, id, { text: 'One' })
  await eventually(async () => (await page.title()) === '(1) New message')
  await eventually(async () => (await notes()) === 2)
  await page.getByRole('button', { name: 'Open chat, 1 unread' }).click()
  await eventually(async () => (await page.title()) === 'Shop')
  await menu('Turn notifications off')
  await close()

  await answer(admin, id, { text: 'Two' })
  await page.getByRole('button', { name: 'Open chat, 1 unread' }).waitFor()
  expect([await page.title(), await notes()]).toEqual(['Shop', 2])
  await page.reload()
  await page.getByRole('button', { name: 'Open chat, 1 unread' }).click()
  await messageOf(page, 'Two').waitFor()
  await close()
  await answer(admin, id, { text: 'Three' })
  await page.getByRole('button', { name: 'Open chat, 1 unread' }).waitFor()
  expect([await page.title(), await notes()]).toEqual(['Shop', 0])
  await page.getByRole('button', { name: 'Open chat, 1 unread' }).click()
  await menu('Turn notifications on')
})

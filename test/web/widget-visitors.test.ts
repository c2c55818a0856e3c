import { expect } from 'bun:test'
import { createHmac } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Page } from 'playwright-core'
import { browserTest, faultsOf, openPage } from '../support/browser.ts'
import { makeWidget, openShop } from '../support/shop.ts'
import { eventually } from '../support/webhooks.ts'
import {
  answer,
  messageOf,
  openPanel,
  panelOf,
  sendMessage,
  textsOf,
  ticketWith,
  writeMessage,
} from '../support/widget-page.ts'

let strictKey = ''
const { bellhop, shop, client, admin, widget } = await openShop({
  '/': { script: 'window.Bellhop = function () { (Bellhop.q = Bellhop.q || []).push(arguments) }' },
  '/early': {
    script: `window.Bellhop = function () { (Bellhop.q = Bellhop.q || []).push(arguments) }
window.unread = []
Bellhop('on', 'unread', (count) => unread.push(count))
Bellhop('open')`,
  },
  '/members': {
    get key() {
      return strictKey
    },
  },
})
const strict = await makeWidget(bellhop, client, shop.origin, { name: 'Members', verifiedOnly: true })
strictKey = strict.widget.key

function tokenFor(userId: string, secret = widget.secret): Promise<string> {
  return new SignJWT({ name: userId, email: `${userId}@example.com` })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userId)
    .setExpirationTime('30m')
    .sign(new TextEncoder().encode(secret))
}

function greetingOf(page: Page) {
  return panelOf(page).getByText('Hi! How can we help?')
}

/** As the website calls it. */
async function command(page: Page, ...args: unknown[]): Promise<void> {
  await page.evaluate(
    (given) => (window as unknown as { Bellhop(...args: unknown[]): void }).Bellhop(...given),
    args,
  )
}

browserTest(
  'a verified user finds the conversation on another device, and the next user finds nothing of it',
  async () => {
    const page = await openPage({ url: shop.origin })
    await page.goto('/')
    await command(page, 'identify', { jwt: await tokenFor('ana') })
    await openPanel(page)
    await sendMessage(page, 'My invoice is wrong.')
    await answer(admin, (await ticketWith(admin, 'My invoice is wrong.')).id, { text: 'Let me see.' })
    await messageOf(page, 'Let me see.').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('Something private')

    const device = await openPage({ url: shop.origin, width: 900 })
    await device.goto('/')
    await command(device, 'identify', {
      userId: 'ana',
      userHash: createHmac('sha256', widget.secret).update('ana').digest('hex'),
    })
    await device.getByRole('button', { name: /^Open chat/ }).waitFor()
    await openPanel(device)
    await messageOf(device, 'Let me see.').waitFor()

    // Another tab of the first browser, in which someone else signs in.
    const other = await page.context().newPage()
    await other.goto(`${shop.origin}/`)
    await openPanel(other)
    await messageOf(other, 'Let me see.').waitFor()
    await command(other, 'identify', { jwt: await tokenFor('ben') })
    for (const tab of [other, page]) {
      await greetingOf(tab).waitFor()
      await eventually(async () => (await textsOf(tab)).length === 0)
      const field = tab.getByRole('textbox', { name: 'Message' })
      await eventually(async () => (await field.inputValue()) === '')
    }
    const stored = () => page.evaluate(() => JSON.stringify(localStorage))
    await eventually(async () => (await stored()).includes('user:ben'))
    expect(await stored()).not.toContain('Something private')
    await sendMessage(page, 'I am Ben.')
    expect((await ticketWith(admin, 'I am Ben.')).messages).toHaveLength(1)

    await command(page, 'logout')
    await greetingOf(other).waitFor()
    await eventually(async () => (await textsOf(page)).length === 0)
    await page.reload()
    await greetingOf(page).waitFor()
  },
)

browserTest('a forged identity is refused with the reason in the console, and gets no view', async () => {
  const page = await openPage({ url: shop.origin })
  const faults = faultsOf(page)
  await page.goto('/')
  await command(page, 'identify', { jwt: await tokenFor('ana', 'bellhop_ws_guessed') })
  await openPanel(page)
  await eventually(async () => faults.length > 0)
  expect(faults.splice(0).join()).toContain("Bellhop: the user wasn't identified.")
  expect(await textsOf(page)).toEqual([])
})

browserTest('a widget for verified users only is not shown to others', async () => {
  const page = await openPage({ url: shop.origin })
  const loaded = page.waitForResponse(/assets\/en-/)
  await page.goto('/members')
  await loaded
  await eventually(async () => !(await page.getByRole('button', { name: /^Open chat/ }).isVisible()))
  await command(page, 'identify', { jwt: await tokenFor('ana', strict.widget.secret) })
  await openPanel(page)
})

browserTest('calls from before the script has loaded are made afterwards', async () => {
  const page = await openPage({ url: shop.origin })
  await page.goto('/early')
  await panelOf(page).waitFor()
  await sendMessage(page, 'Counting')
  await command(page, 'close')
  await answer(admin, (await ticketWith(admin, 'Counting')).id, { text: 'One' })
  await eventually(() => page.evaluate('unread.at(-1) === 1'))
  await eventually(async () => (await page.title()) === '(1) New message')
  await command(page, 'open')
  await eventually(() => page.evaluate('unread.at(-1) === 0'))
  await eventually(async () => (await page.title()) === 'Shop')
})

browserTest('who is blocked sees and sends nothing, in every tab, until an agent unblocks them', async () => {
  const page = await openPage({ url: shop.origin })
  const context = page.context()
  await page.goto('/')
  await openPanel(page)
  await sendMessage(page, 'Buy my watches')
  const { id } = await ticketWith(admin, 'Buy my watches')
  const other = await context.newPage()
  await other.goto(`${shop.origin}/`)
  await openPanel(other)
  await messageOf(other, 'Buy my watches').waitFor()
  const block = (isBlocked: boolean) =>
    admin.call('PATCH', `/console/tickets/${id}/visitor`, { body: { isBlocked } })
  await block(true)
  for (const tab of [page, other]) await greetingOf(tab).waitFor()
  await writeMessage(page, 'Cheap watches')
  await panelOf(page).getByText('You can’t send messages here.').waitFor()
  await page.reload()
  await panelOf(page).getByText('You can’t send messages here.').waitFor()

  await block(false)
  await panelOf(page).getByRole('button', { name: 'Try again' }).click()
  await panelOf(page).getByText('Sent', { exact: true }).waitFor()
  expect((await ticketWith(admin, 'Cheap watches')).id).toBe(id)
})

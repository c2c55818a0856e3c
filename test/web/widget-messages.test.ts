import { expect } from 'bun:test'
import { browserTest } from '../support/browser.ts'
import { paintedPng } from '../support/images.ts'
import { openShop } from '../support/shop.ts'
import { upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'
import {
  answer,
  messageOf,
  openChat,
  panelOf,
  sendMessage,
  textsOf,
  ticketsOf,
  ticketWith,
  writeMessage,
} from '../support/widget-page.ts'

const { shop, admin } = await openShop({ '/': {}, '/cart': { body: '<p>Your cart</p>' } })

browserTest(
  'a visitor writes, and the answer appears without a reload, on every page and in every tab',
  async () => {
    const page = await openChat(shop)
    await sendMessage(page, 'Where is my order?')
    const ticket = await ticketWith(admin, 'Where is my order?')

    const second = await page.context().newPage()
    await second.goto(`${shop.origin}/cart`)
    await second.getByRole('button', { name: 'Open chat', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Close chat' }).first().click()

    await answer(admin, ticket.id, { text: 'It is **on its way**.', format: 'markdown' })
    await second.getByRole('button', { name: 'Open chat, 1 unread' }).click()
    await messageOf(second, 'It is on its way.').waitFor()
    expect(await messageOf(second, 'It is on its way.').locator('strong').textContent()).toBe('on its way')
    await panelOf(second).getByText('Ana Pires').waitFor()
    // Read in one tab is read in all.
    await page.getByRole('button', { name: 'Open chat', exact: true }).waitFor()

    await writeMessage(second, 'Thank you')
    await second.close()
    await page.getByRole('button', { name: 'Open chat', exact: true }).click()
    await messageOf(page, 'Thank you').waitFor()
    await page.goto('/cart')
    await messageOf(page, 'Thank you').waitFor()
    await page.reload()
    await messageOf(page, 'Thank you').waitFor()
    await messageOf(page, 'Where is my order?').waitFor()
    expect(await textsOf(page)).toEqual(['Where is my order?', 'It is on its way.', 'Thank you'])
    expect((await ticketWith(admin, 'Thank you')).id).toBe(ticket.id)
  },
)

browserTest('files go both ways, and pictures are drawn', async () => {
  const page = await openChat(shop)
  // Files come after a first message.
  expect(await page.getByRole('button', { name: 'Attach a file' }).count()).toBe(0)
  await sendMessage(page, 'The lamp is broken.')
  const photo = paintedPng(40, 30)
  await panelOf(page)
    .locator('input[type=file]')
    .setInputFiles([{ name: 'lamp.png', mimeType: 'image/png', buffer: Buffer.from(photo) }])
  await page.getByRole('button', { name: 'Send' }).and(page.locator('[aria-disabled=false]')).click()
  const picture = page.getByRole('button', { name: 'Download lamp.png' })
  const size = () =>
    picture.locator('canvas').evaluate((canvas: HTMLCanvasElement) => `${canvas.width} × ${canvas.height}`)
  await eventually(async () => (await size()) === '40 × 30')

  // A picture is pasted as well.
  await page.getByRole('textbox', { name: 'Message' }).evaluate(
    (field, bytes) => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File([new Uint8Array(bytes)], 'pasted.png', { type: 'image/png' }))
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    [...photo],
  )
  await page.getByRole('button', { name: 'Send' }).and(page.locator('[aria-disabled=false]')).click()
  await page.getByRole('button', { name: 'Download pasted.png' }).waitFor()
  await eventually(async () => (await ticketWith(admin, 'The lamp is broken.')).messages.length === 3)

  const ticket = await ticketWith(admin, 'The lamp is broken.')
  expect(ticket.messages.flatMap(({ attachments = [] }) => attachments)).toMatchObject([
    { name: 'lamp.png', size: photo.length },
    { name: 'pasted.png', size: photo.length },
  ])
  const { id } = await upload(admin, 'label.txt', 'Return label')
  await answer(admin, ticket.id, { text: 'Use this label.', attachments: [id] })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download label.txt' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('label.txt')
  expect(await Bun.file(await download.path()).text()).toBe('Return label')
})

browserTest(
  'a message written offline survives a reload and is sent once the visitor is online',
  async () => {
    const page = await openChat(shop)
    await sendMessage(page, 'I am in a train.')
    await page.context().setOffline(true)
    await writeMessage(page, 'Here comes a tunnel.')
    await writeMessage(page, 'It is dark.')
    await panelOf(page).getByText('You’re offline.').first().waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('Half a sent')
    await page.context().setOffline(false)
    // Reloaded before it is sent, because it waits a little.
    await page.reload()
    await messageOf(page, 'It is dark.').waitFor()
    // The draft belongs to the conversation, which is read after what is unsent is shown.
    const field = page.getByRole('textbox', { name: 'Message' })
    await eventually(async () => (await field.inputValue()) === 'Half a sent')
    const { messages } = await ticketWith(admin, 'It is dark.')
    expect(messages.map(({ text }) => text)).toEqual([
      'I am in a train.',
      'Here comes a tunnel.',
      'It is dark.',
    ])
    await eventually(async () => (await panelOf(page).getByText('Sending…').count()) === 0)
    expect(await textsOf(page)).toEqual(['I am in a train.', 'Here comes a tunnel.', 'It is dark.'])
  },
)

browserTest('a first message that was not sent is there after a reload, and is sent once', async () => {
  const page = await openChat(shop)
  const isAway = (url: URL) => /\/widget\/.*\/(?:session|conversations)/.test(url.pathname)
  await page.route(isAway, (route) => route.abort())
  await writeMessage(page, 'Is this thing on?')
  await panelOf(page).getByText('Not sent.').waitFor()
  await page.reload()
  await messageOf(page, 'Is this thing on?').waitFor()
  await page.unroute(isAway)
  await panelOf(page).getByText('Sent', { exact: true }).waitFor()
  expect(await textsOf(page)).toEqual(['Is this thing on?'])
  expect((await ticketWith(admin, 'Is this thing on?')).messages).toHaveLength(1)
})

browserTest('a message whose response is lost is stored and shown once', async () => {
  const page = await openChat(shop)
  let lost = 0
  await page.route('**/messages/*', async (route) => {
    if (route.request().method() !== 'PUT' || lost > 1) return route.continue()
    lost += 1
    await route.fetch()
    await route.abort()
  })
  await writeMessage(page, 'Only once, please.')
  await panelOf(page).getByText('Sent', { exact: true }).waitFor()
  await eventually(
    async () => (await page.evaluate(() => JSON.stringify(localStorage))).includes('unsent') === false,
  )
  expect(lost).toBe(2)
  expect(await textsOf(page)).toEqual(['Only once, please.'])
  const found = (await ticketsOf(admin)).filter(({ messages }) =>
    messages.some(({ text }) => text === 'Only once, please.'),
  )
  expect(found.map(({ messages }) => messages.length)).toEqual([1])
})

browserTest('a conversation ends, another begins, and the list shows both', async () => {
  const page = await openChat(shop)
  await sendMessage(page, 'First question')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'End conversation' }).click()
  await panelOf(page).getByText('This conversation has ended.').waitFor()
  await eventually(async () => {
    const { id } = await ticketWith(admin, 'First question')
    const { json } = await admin.call<{ status: string }>('GET', `/v1/tickets/${id}`)
    return json.status === 'resolved'
  })
  await page.getByRole('button', { name: 'Start a new one' }).click()
  await sendMessage(page, 'Second question')
  await page.getByRole('button', { name: 'All conversations' }).click()
  await panelOf(page).getByText('You: Second question').waitFor()
  await panelOf(page).getByText('You: First question').click()
  await messageOf(page, 'First question').waitFor()
  expect(await textsOf(page)).toEqual(['First question'])
})

browserTest('a visitor who writes too much sees when the next message is sent', async () => {
  const page = await openChat(shop)
  // One more than a visitor may send in a minute.
  for (let at = 1; at <= 21; at++) await writeMessage(page, `Message ${at}`)
  await panelOf(page)
    .getByText(/^Too many messages\. The next one is sent in \d+ s\./)
    .waitFor()
  expect(await textsOf(page)).toEqual(Array.from({ length: 21 }, (_, at) => `Message ${at + 1}`))
  expect((await ticketWith(admin, 'Message 20')).messages).toHaveLength(20)
})

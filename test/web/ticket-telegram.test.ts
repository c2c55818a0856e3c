import { afterAll, beforeAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { systemClock } from '../../server/clock.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { paintedPng } from '../support/images.ts'
import { startTelegram, type TelegramUser } from '../support/telegram-server/telegram-server.ts'
import type { TelegramBot } from '../support/telegram-server/telegram-state.ts'
import { openTicket } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

/** A second of silence: RIFF with 8,000 samples of 8 bits. */
const SILENCE = wave(8_000)

const telegram = await startTelegram({ clock: systemClock, maxPollMs: 300 })
const bellhop = await startBellhop({ settings: { BELLHOP_TELEGRAM_API: telegram.root } })
afterAll(async () => {
  await bellhop.stop()
  await telegram.close()
})

let ben: SignedInAgent
let bot: TelegramBot
beforeAll(async () => {
  const { orgId } = await bellhop.organization('Acme')
  ben = await signInAgent(bellhop, orgId, { name: 'Ben Okafor', role: 'admin' })
  bot = telegram.addBot({ username: 'acme_bot' })
  const made = await ben.call('POST', '/console/bots', { body: { token: bot.token } })
  expect(made.status, made.text).toBe(201)
})

const threadOf = (page: Page) => page.getByRole('region', { name: 'Thread' })

/** The ticket of someone who has just written. */
async function ticketOf(customer: TelegramUser): Promise<string> {
  const name = customer.user.first_name
  const search = `/console/tickets?q=${encodeURIComponent(`channel:telegram ${name}`)}`
  let id = ''
  await eventually(async () => {
    const { json } = await ben.call<{ data: { id: string; customer: { name: string } }[] }>('GET', search)
    id = json.data.find((ticket) => ticket.customer.name.startsWith(name))?.id ?? ''
    await Bun.sleep(50)
    return id !== ''
  })
  return id
}

browserTest('a conversation in Telegram is read with everything that was sent in it', async () => {
  const ana = telegram.addUser({ first_name: 'Anabela', last_name: 'Pires', username: 'anabela' })
  const first = ana.writes(bot, 'Hello, my parcel is broken')
  const photo = telegram.addFile(paintedPng(640, 480), { name: 'parcel.png', type: 'image/png' })
  const voice = telegram.addFile(SILENCE, { name: 'voice.wav', type: 'audio/wav' })
  ana.sends(bot, {
    photo: [
      { file_id: photo.id, file_unique_id: 'u1', width: 640, height: 480, file_size: photo.bytes.length },
    ],
    caption: 'This is how it looks',
  })
  ana.sends(bot, {
    audio: {
      file_id: voice.id,
      file_unique_id: 'u2',
      duration: 1,
      file_name: 'voice.wav',
      mime_type: 'audio/wav',
      file_size: SILENCE.length,
    },
  })
  ana.sends(bot, {
    document: { file_id: 'huge', file_unique_id: 'u3', file_name: 'film.mov', file_size: 25_000_000 },
  })
  ana.writes(bot, 'It was like this on arrival', {
    forward_origin: { type: 'hidden_user', sender_user_name: 'Courier', date: 0 },
    reply_to_message: first as never,
  })
  const id = await ticketOf(ana)
  const page = await openTicket(bellhop, ben, id)
  const thread = threadOf(page)
  await thread.getByText('This is how it looks').waitFor()
  await thread.getByRole('link', { name: /^View / }).waitFor()
  await thread.getByText('Forwarded from Courier').waitFor()
  await thread.getByRole('button', { name: 'In reply to: Hello, my parcel is broken' }).waitFor()
  await thread.getByRole('list', { name: "Files that weren't received" }).getByText('film.mov').waitFor()
  const player = thread.locator('audio')
  await player.waitFor()
  // The browser plays what the server stored.
  const seconds = await player.evaluate(async (audio: HTMLAudioElement) => {
    audio.muted = true
    await audio.play()
    return audio.duration
  })
  expect(seconds).toBeCloseTo(1, 1)
  const panel = page.getByRole('complementary', { name: 'Customer' })
  await panel.getByRole('link', { name: '@anabela' }).waitFor()
  await panel.getByText('@acme_bot').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  // An edit keeps the earlier text.
  ana.edits(bot, first.message_id, { text: 'Hello, my parcel PB-7 is broken' })
  await thread.getByText('Hello, my parcel PB-7 is broken').first().waitFor()
  await thread.getByRole('button', { name: /Edited .* Show earlier text/ }).click()
  await thread.getByRole('list', { name: 'Earlier text' }).getByText('Hello, my parcel is broken').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  // No address is needed; one that was asked for is added.
  await panel.getByText('No email address').waitFor()
  await panel.getByRole('button', { name: 'Add…' }).click()
  await panel.getByLabel('Email').fill('not an address@')
  await panel.getByLabel('Email').fill('anabela@example.com')
  await panel.getByRole('button', { name: 'Add', exact: true }).click()
  await panel.getByText('anabela@example.com').waitFor()
})

browserTest('an agent edits a reply and takes it back, in the chat and in the thread', async () => {
  const zoe = telegram.addUser({ first_name: 'Zoefia' })
  zoe.writes(bot, 'When do you open?')
  const id = await ticketOf(zoe)
  const reply = await ben.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'At 9 tomorow.' } })
  expect(reply.status, reply.text).toBe(201)
  const sent = () => telegram.sent(bot, zoe.id).map(({ text }) => text)
  await eventually(() => sent().includes('At 9 tomorow.'))
  const page = await openTicket(bellhop, ben, id)
  const thread = threadOf(page)
  const message = thread.locator('.message-group-item').filter({ hasText: 'At 9 tomorow.' })
  await message.getByText('Sent').waitFor()
  const menu = message.getByRole('button', { name: 'Actions for this message' })
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit message' })
  await dialog.getByLabel('Message').fill('At 9 tomorrow.')
  // A key wrote it, without formatting.
  expect(await dialog.getByRole('button', { name: 'Bold' }).count()).toBe(0)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.keyboard.press('Control+Enter')
  await thread.getByText('At 9 tomorrow.').waitFor()
  await eventually(() => sent().includes('At 9 tomorrow.'))

  const edited = thread.locator('.message-group-item').filter({ hasText: 'At 9 tomorrow.' })
  await edited.getByRole('button', { name: 'Actions for this message' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Take back…' }).click()
  await page.getByRole('button', { name: 'Take back', exact: true }).click()
  await thread.getByText('Taken back').waitFor()
  expect(await thread.getByText('Sent', { exact: true }).count()).toBe(0)
  await eventually(() => sent().length === 0)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  // A customer who blocks the bot can't be reached, and the page says so where the reply is written.
  zoe.blocks(bot)
  await page.locator('.destination-problem').waitFor()
  await page.getByRole('complementary', { name: 'Customer' }).getByText("Can't be reached").waitFor()
})

/** A WAV file with that many samples a second, and as many of silence. */
function wave(samples: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(44 + samples, 0x80)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(36 + samples, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(samples, 24)
  bytes.writeUInt32LE(samples, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(samples, 40)
  return new Uint8Array(bytes)
}

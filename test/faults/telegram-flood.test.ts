import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Chats, type OpenChat, openChats } from '../support/chats.ts'
import { readThread } from '../support/threads.ts'
import { eventually } from '../support/webhooks.ts'

const MINUTE_MS = 60_000
const LOOK_EVERY_MS = 25

let chats: Chats
beforeAll(async () => {
  chats = await openChats()
})
afterAll(() => chats[Symbol.asyncDispose]())

/** What a customer wrote, as the agent reads it, once there are so many. */
async function written(chat: OpenChat, count: number): Promise<string[]> {
  return eventually(async () => {
    const { timeline } = await readThread(chats.ben, chat.ticketId)
    const texts = timeline.flatMap((entry) => ('text' in entry ? [String(entry.text)] : []))
    if (texts.length >= count) return texts
    await Bun.sleep(LOOK_EVERY_MS)
    return undefined
  })
}

test('a chat that floods the bot has to wait, delays no one else, and loses nothing', async () => {
  const flood = await chats.chat({ username: 'flood' })
  const sent = ['Where is my parcel?', ...Array.from({ length: 44 }, (_, at) => `Hello ${at}`)]
  for (const text of sent.slice(1)) flood.user.writes(flood.bot, text)
  expect(await written(flood, 20)).toEqual(sent.slice(0, 20))
  // The others are answered meanwhile. Theirs came last.
  const calm = await chats.chat({ username: 'calm' })
  calm.user.writes(calm.bot, 'And the invoice?')
  expect(await written(calm, 2)).toEqual(['Where is my parcel?', 'And the invoice?'])
  expect(await written(flood, 20)).toEqual(sent.slice(0, 20))
  for (const count of [40, 45]) {
    chats.clock.advance(MINUTE_MS)
    expect(await written(flood, count)).toEqual(sent.slice(0, count))
  }
})

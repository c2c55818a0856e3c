import { expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { events } from '../../server/database/tables/events.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { type Chats, letRunFast, type OpenChat, openChats } from '../support/chats.ts'
import { PNG } from '../support/images.ts'
import { type EntryJson, readThread } from '../support/threads.ts'
import { upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

const LOOK_EVERY_MS = 20

async function entries({ ben }: Chats, { ticketId }: OpenChat, count: number): Promise<EntryJson[]> {
  return eventually(async () => {
    const { timeline } = await readThread(ben, ticketId)
    const messages = timeline.filter(({ kind }) => kind === 'message')
    if (messages.length === count) return messages
    await Bun.sleep(LOOK_EVERY_MS)
    return undefined
  })
}

test('a conversation of ten messages, with files and edits of both sides, is the same in the chat and in the ticket', async () => {
  await using chats = await openChats()
  using _ = letRunFast(chats.clock)
  const { ben, bellhop, acme, bot, telegram } = chats
  await createEndpoint(bellhop.deps, acme.orgId, {
    url: 'https://hooks.example.com/',
    events: ['ticket.created', 'message.sent'],
  })
  const fileOf = (name: string, type: string, bytes: Uint8Array) => {
    const { id } = telegram.addFile(bytes, { name, type })
    return { file_id: id, file_unique_id: id, file_size: bytes.byteLength }
  }
  const photo = () => [{ ...fileOf('a.png', 'image/png', PNG), width: 3, height: 2 }]
  const chat = await chats.chat()
  const { user } = chat
  const answer = async (body: object) => chats.until(chat, await chats.put(chat, body), 'sent')

  const greeting = await answer({ text: 'Hello **Ana**, which order?', format: 'markdown' })
  const [asked] = chats.sent(chat)
  user.sends(bot, {
    text: '4711',
    ...(asked && { reply_to_message: { ...asked, reply_to_message: undefined } }),
  })
  await entries(chats, chat, 3)
  user.sends(bot, { caption: 'The parcel', photo: photo() })
  const attachments = [await upload(ben, 'map.png', PNG), await upload(ben, 'shop.png', PNG)].map(
    ({ id }) => id,
  )
  await entries(chats, chat, 4)
  await answer({ text: 'It is *here*', format: 'markdown', attachments })
  for (const caption of ['Front and back', undefined]) {
    user.sends(bot, { media_group_id: 'album', photo: photo(), ...(caption && { caption }) })
  }
  await entries(chats, chat, 6)
  user.sends(bot, { voice: { ...fileOf('a.oga', 'audio/ogg', Buffer.from('OggS voice')), duration: 2 } })
  await entries(chats, chat, 7)
  await answer({ text: '', attachments: [(await upload(ben, 'label.pdf', 'PDF')).id] })
  const thanks = user.writes(bot, 'Thank yuo!')
  await entries(chats, chat, 9)
  await answer({ text: 'You are welcome.' })
  user.edits(bot, thanks.message_id, { text: 'Thank you!' })
  await ben.call('PATCH', `/console/tickets/${chat.ticketId}/messages/${greeting.id}`, {
    body: { text: 'Hello **Ana**, which order is it?', format: 'markdown' },
  })

  await eventually(async () => {
    await Bun.sleep(LOOK_EVERY_MS)
    const edited = (await entries(chats, chat, 10)).filter(
      ({ edits, sending }) => edits === 1 && sending !== 'queued',
    )
    return edited.length === 2
  })
  await chats.until(chat, greeting.id, 'sent')
  const messages = await entries(chats, chat, 10)
  expect(messages.map(({ role, text, attachments: files = [] }) => [role, text, files.length])).toEqual([
    ['customer', 'Where is my parcel?', 0],
    ['agent', 'Hello **Ana**, which order is it?', 0],
    ['customer', '4711', 0],
    ['customer', 'The parcel', 1],
    ['agent', 'It is *here*', 2],
    ['customer', 'Front and back', 2],
    ['customer', '', 1],
    ['agent', '', 1],
    ['customer', 'Thank you!', 0],
    ['agent', 'You are welcome.', 0],
  ])
  expect(messages[2]).toMatchObject({
    chat: { repliesTo: { messageId: greeting.id, text: 'Hello Ana, which order?' } },
  })
  expect(chats.texts(chat)).toEqual([
    'Hello Ana, which order is it?',
    'It is here',
    '',
    '',
    'You are welcome.',
  ])

  // Integrations get every message once, and no edit.
  const logged = await bellhop.deps.database.read
    .select({ type: events.type, body: events.body })
    .from(events)
    .where(eq(events.orgId, acme.orgId))
    .orderBy(asc(events.number))
  const sent = logged.flatMap(({ body }) => (body ? [JSON.parse(Buffer.from(body).toString())] : []))
  expect(sent.map(({ event }) => event)).toEqual(['ticket.created', ...Array(10).fill('message.sent')])
  expect(sent.every(({ data }) => data.ticket.channel === 'telegram')).toBe(true)
})

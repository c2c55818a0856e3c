import { expect, test } from 'bun:test'
import { type Chats, letRunFast, type OpenChat, openChats } from '../support/chats.ts'
import { PNG } from '../support/images.ts'
import { storedEvents } from '../support/subscription.ts'
import { readDraft, readThread } from '../support/threads.ts'
import { upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

// What an agent sent by Telegram is changed or taken back.

const SECOND = 1_000
const HOUR = 3_600_000

function changing({ ben }: Chats, { ticketId }: OpenChat, messageId: string) {
  const path = `/console/tickets/${ticketId}/messages/${messageId}`
  return {
    edit: (text: string, more = {}) => ben.call('PATCH', path, { body: { text, ...more } }),
    takeBack: () => ben.call('DELETE', path),
    edits: async () => (await ben.call<{ data: { text: string }[] }>('GET', `${path}/edits`)).json.data,
    resend: () => ben.call('POST', `${path}/resend`, { body: {} }),
  }
}

test('an edited message changes in the chat, and keeps its earlier texts', async () => {
  await using chats = await openChats()
  using _ = letRunFast(chats.clock)
  const chat = await chats.chat()
  const id = await chats.reply(chat, 'It left yestreday.')
  await chats.until(chat, id, 'sent')
  const { edit, edits } = changing(chats, chat, id)
  expect((await edit('It left **yesterday**.', { format: 'markdown' })).status).toBe(204)
  await chats.until(chat, id, 'sent')
  expect(chats.sent(chat)).toMatchObject([
    { text: 'It left yesterday.', entities: [{ type: 'bold', offset: 8, length: 9 }] },
  ])
  expect((await edit('It left today.')).status).toBe(204)
  const shown = await chats.until(chat, id, 'sent')
  expect(shown).toMatchObject({ text: 'It left today.', edits: 2, canEdit: true })
  expect(shown.editedAt).toBeDefined()
  expect(await edits()).toMatchObject([
    { text: 'It left yestreday.', format: 'plain' },
    { text: 'It left **yesterday**.', format: 'markdown' },
  ])
  // The same text again is no edit.
  expect((await edit('It left today.')).status).toBe(204)
  expect(await edits()).toHaveLength(2)
  // Integrations get the two messages, and no edit.
  const events = await storedEvents(chats.bellhop.deps, chats.acme.orgId)
  expect(events.filter(({ type }) => type === 'message.sent')).toHaveLength(2)
})

test('a message in several parts becomes shorter, but not longer than Telegram can show in its place', async () => {
  await using chats = await openChats()
  using _ = letRunFast(chats.clock)
  const chat = await chats.chat()
  const long = 'word '.repeat(1_500).trim()
  const file = await upload(chats.ben, 'terms.txt', 'Terms')
  const id = await chats.put(chat, { text: long, attachments: [file.id] })
  await chats.until(chat, id, 'sent')
  expect(chats.sent(chat)).toHaveLength(3)
  const { edit } = changing(chats, chat, id)
  expect((await edit(`${long} ${long}`)).json).toMatchObject({
    errors: [{ pointer: '/text', code: 'too_long' }],
  })
  expect((await edit('Only this.')).status).toBe(204)
  await chats.until(chat, id, 'sent')
  expect(chats.sent(chat).map(({ text, document }) => text ?? document?.file_name)).toEqual([
    'Only this.',
    'terms.txt',
  ])
  expect((await edit(long)).json).toMatchObject({ errors: [{ code: 'too_long' }] })
})

test('the text below files can be changed and removed', async () => {
  await using chats = await openChats()
  using _ = letRunFast(chats.clock)
  const chat = await chats.chat()
  const files = [await upload(chats.ben, 'a.txt', 'A'), await upload(chats.ben, 'b.txt', 'B')]
  const id = await chats.put(chat, { text: 'Two flies', attachments: files.map((file) => file.id) })
  await chats.until(chat, id, 'sent')
  const { edit, takeBack } = changing(chats, chat, id)
  expect((await edit('Two files')).status).toBe(204)
  await chats.until(chat, id, 'sent')
  expect(chats.sent(chat).map(({ caption }) => caption)).toEqual(['Two files', undefined])
  expect((await edit('x'.repeat(1_025))).json).toMatchObject({ errors: [{ code: 'too_long' }] })
  expect((await edit('')).status).toBe(204)
  await chats.until(chat, id, 'sent')
  const photo = await chats.put(chat, {
    text: 'A',
    attachments: [(await upload(chats.ben, 'a.png', PNG)).id],
  })
  await chats.until(chat, photo, 'sent')
  expect((await takeBack()).status).toBe(204)
  await chats.until(chat, id, undefined)
  expect(chats.sent(chat).map(({ caption }) => caption)).toEqual(['A'])
})

test('a message that is taken back disappears from the chat, not from the ticket', async () => {
  await using chats = await openChats()
  const { clock, ben } = chats
  const chat = await chats.chat()
  const id = await chats.reply(chat, 'Wrong customer')
  await chats.until(chat, id, 'sent')
  const { edit, takeBack } = changing(chats, chat, id)
  expect((await takeBack()).status).toBe(204)
  clock.advance(2 * SECOND)
  const shown = await chats.until(chat, id, undefined)
  expect(chats.texts(chat)).toEqual([])
  expect(shown).toMatchObject({ text: 'Wrong customer', takenBackAt: expect.any(String) })
  expect(shown).not.toHaveProperty('canEdit')
  const list = await ben.call<{ data: { preview: { text: string } }[] }>('GET', '/console/tickets')
  expect(list.json.data.map(({ preview }) => preview.text)).toEqual(['Taken back: Wrong customer'])
  expect((await takeBack()).json).toMatchObject({ status: 409, code: 'taken_back' })
  expect((await edit('Never mind')).json).toMatchObject({ status: 409, code: 'taken_back' })
  const { reply } = await readThread(ben, chat.ticketId)
  expect(reply.by).toBe('telegram')
})

test('a reply that is undone while it is being sent ends in the draft, not in the chat', async () => {
  await using chats = await openChats()
  const { clock, ben, telegram } = chats
  const chat = await chats.chat()
  // The first part arrives. The second waits for the pace of the chat.
  const long = 'word '.repeat(1_500).trim()
  const id = await chats.put(chat, { text: long })
  await eventually(() => telegram.sent(chat.bot, chat.chatId).length === 1)
  await eventually(async () => (await chats.message(chat, id)).sending === 'sending')
  const path = `/v1/tickets/${chat.ticketId}/messages/${id}`
  expect((await ben.call('DELETE', path)).status).toBe(204)
  expect(await readDraft(ben, chat.ticketId, 'reply')).toBe(long)
  using _ = letRunFast(clock)
  await chats.until(chat, id, undefined)
  expect(chats.texts(chat)).toEqual([])
  const shown = await ben.call('GET', path)
  expect(shown.json).toMatchObject({ text: long, delivery: { state: 'taken_back' } })
})

test('what has not left yet becomes another text, or nothing', async () => {
  await using chats = await openChats()
  const { clock, telegram } = chats
  const chat = await chats.chat()
  telegram.fail({ code: 502 }, { method: 'sendMessage', times: 1 })
  const [changed, dropped] = [await chats.reply(chat, 'Frist'), await chats.reply(chat, 'Second')]
  await eventually(async () => {
    const send = await chats.send(changed)
    return send?.state === 'waiting' && send.attempts === 1
  })
  expect((await changing(chats, chat, changed).edit('First')).status).toBe(204)
  expect((await changing(chats, chat, dropped).takeBack()).status).toBe(204)
  using _ = letRunFast(clock)
  await chats.until(chat, changed, 'sent')
  expect(chats.texts(chat)).toEqual(['First'])
  const shown = await chats.message(chat, dropped)
  expect(shown).toMatchObject({ text: 'Second', takenBackAt: expect.any(String) })
  expect(shown).not.toHaveProperty('sending')
})

test('Telegram deletes nothing after 48 hours, and the agent knows before and after asking', async () => {
  await using chats = await openChats()
  const { clock, telegram } = chats
  const chat = await chats.chat()
  const id = await chats.reply(chat, 'Hello')
  await chats.until(chat, id, 'sent')
  const { edit, takeBack, resend } = changing(chats, chat, id)
  telegram.fail(
    { code: 400, description: "Bad Request: message can't be deleted" },
    { method: 'deleteMessage', times: 1 },
  )
  expect((await takeBack()).status).toBe(204)
  clock.advance(2 * SECOND)
  const shown = await chats.until(chat, id, 'failed')
  expect(shown).toMatchObject({
    sendError: "The customer still sees the message. Telegram says: message can't be deleted",
    canTakeBack: true,
  })
  expect(shown).not.toHaveProperty('takenBackAt')
  expect((await resend()).status).toBe(204)
  clock.advance(2 * SECOND)
  expect(await chats.until(chat, id, undefined)).toHaveProperty('takenBackAt')
  expect(chats.texts(chat)).toEqual([])

  const old = await chats.reply(chat, 'Hello')
  clock.advance(SECOND)
  await chats.until(chat, old, 'sent')
  clock.jump(48 * HOUR)
  expect(await chats.message(chat, old)).toMatchObject({ canEdit: true, canTakeBack: false })
  expect((await changing(chats, chat, old).takeBack()).json).toMatchObject({ status: 409, code: 'too_old' })
  expect((await edit('x')).json).toMatchObject({ status: 409, code: 'taken_back' })
  expect((await changing(chats, chat, old).edit('Hello again')).status).toBe(204)
  clock.advance(SECOND)
  await chats.until(chat, old, 'sent')
  expect(chats.texts(chat)).toEqual(['Hello again'])
})

test('only what left by Telegram can be changed', async () => {
  await using chats = await openChats()
  const { ben, acme } = chats
  const ticket = await acme.call<{ id: string }>('POST', '/tickets', {
    body: { subject: 'Hi', customer: { name: 'Ana', email: 'ana@example.com' }, message: 'Hi' },
  })
  const answer = await ben.call<{ id: string }>('POST', `/v1/tickets/${ticket.json.id}/messages`, {
    body: { text: 'Hello' },
  })
  const path = `/console/tickets/${ticket.json.id}/messages/${answer.json.id}`
  expect((await ben.call('PATCH', path, { body: { text: 'x' } })).json).toMatchObject({
    status: 409,
    code: 'not_changeable',
  })
  expect((await ben.call('DELETE', path)).json).toMatchObject({ status: 409, code: 'not_changeable' })
  expect((await ben.call('GET', `${path}/edits`)).json).toEqual({ data: [] })
  const [entry] = (await readThread(ben, ticket.json.id)).timeline.slice(-1)
  expect(entry).not.toHaveProperty('canEdit')
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TelegramBot } from '../../server/demo/telegram/telegram-state.ts'
import { PNG } from '../support/images.ts'
import { storedEvents, subscribe } from '../support/subscription.ts'
import { type BotJson, type Desk, openDesk } from '../support/telegram.ts'
import { readThread } from '../support/threads.ts'
import { eventually } from '../support/webhooks.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

let desk: Desk
let bot: TelegramBot
let connected: BotJson
beforeAll(async () => {
  desk = await openDesk()
  bot = desk.telegram.addBot({ username: 'parcelbird_bot', name: 'Parcelbird' })
  connected = await desk.connect(bot)
})
afterAll(() => desk[Symbol.asyncDispose]())

let people = 0
/** Somebody who has never written. */
function somebody(given: object = {}) {
  people += 1
  return desk.telegram.addUser({ first_name: `Person ${people}`, ...given })
}

/** The ticket whose first message this is. */
async function ticketOf(subject: string) {
  return eventually(async () => {
    const found = (await desk.tickets()).find((ticket) => ticket.subject === subject)
    if (!found) await Bun.sleep(25)
    return found
  })
}

describe('a message to the bot', () => {
  test('opens a ticket of the channel telegram, in the name that Telegram shows', async () => {
    await subscribe(desk.bellhop.deps, desk.acme.orgId)
    const ana = desk.telegram.addUser({ first_name: 'Ana', last_name: 'Petrova', username: 'ana_p' })
    ana.writes(bot, 'Where is my parcel?\nIt should have come on Monday.')
    const ticket = await ticketOf('Where is my parcel?')
    expect(ticket).toMatchObject({ channel: 'telegram', status: 'open', customer: { name: 'Ana Petrova' } })
    const [message] = await desk.messages(ticket.id, 1)
    expect(message).toMatchObject({
      role: 'customer',
      text: 'Where is my parcel?\nIt should have come on Monday.',
      format: 'plain',
    })
    ana.writes(bot, 'Hello?')
    await desk.messages(ticket.id, 2)
    const events = (await storedEvents(desk.bellhop.deps, desk.acme.orgId)).filter(
      ({ ticketId, body }) => ticketId === ticket.id && body !== '',
    )
    expect(events.map(({ type }) => type)).toEqual(['ticket.created', 'message.sent', 'message.sent'])
    for (const { body } of events) expect(body).toContain('"channel":"telegram"')
  })

  test('keeps its formatting', async () => {
    somebody().sends(bot, {
      text: 'Formatted: bold, italic, code, a link, 5*3*2',
      entities: [
        { type: 'bold', offset: 11, length: 4 },
        { type: 'italic', offset: 17, length: 6 },
        { type: 'code', offset: 25, length: 4 },
        { type: 'text_link', offset: 31, length: 6, url: 'https://example.com/a_b' },
      ],
    })
    const ticket = await ticketOf('Formatted: bold, italic, code, a link (https://example.com/a_b), 5*3*2')
    const [message] = await desk.messages(ticket.id, 1)
    expect(message).toMatchObject({
      format: 'markdown',
      text: 'Formatted: **bold**, *italic*, `code`, [a link](https://example.com/a_b), 5\\*3\\*2',
    })
  })

  test('brings its photo, file, voice message and video', async () => {
    const ana = somebody()
    const photo = desk.telegram.addFile(PNG, { name: 'a.png', type: 'image/png' })
    const file = desk.telegram.addFile(bytes('Invoice 42'), { name: 'invoice.txt', type: 'text/plain' })
    const voice = desk.telegram.addFile(bytes('OggS voice'), { name: 'a.oga', type: 'audio/ogg' })
    const video = desk.telegram.addFile(bytes('\0\0\0\0ftypisom'), { name: 'a.mp4', type: 'video/mp4' })
    const about = ({ id, bytes: content }: typeof photo) => ({
      file_id: id,
      file_unique_id: id,
      file_size: content.byteLength,
    })
    ana.sends(bot, { caption: 'A broken cup', photo: [{ ...about(photo), width: 1, height: 1 }] })
    ana.sends(bot, { document: { ...about(file), file_name: '../invoice.txt', mime_type: 'text/plain' } })
    ana.sends(bot, { voice: { ...about(voice), duration: 3 } })
    ana.sends(bot, { video: { ...about(video), duration: 3, width: 1, height: 1 } })
    const ticket = await ticketOf('A broken cup')
    const messages = await desk.messages(ticket.id, 4)
    expect(messages.map(({ text, attachments = [] }) => [text, attachments.map(({ type }) => type)])).toEqual(
      [
        ['A broken cup', ['image/png']],
        ['', ['text/plain']],
        ['', ['audio/ogg']],
        ['', ['video/mp4']],
      ],
    )
    const [invoice] = messages[1]?.attachments ?? []
    expect(invoice).toMatchObject({ name: 'invoice.txt', size: 10 })
    const downloaded = await desk.admin.call('GET', `/v1/attachments/${invoice?.id}`)
    expect(downloaded.text).toBe('Invoice 42')
  })

  test('is one message for all parts of an album', async () => {
    const ana = somebody()
    const parts = [1, 2, 3].map((at) => {
      const { id } = desk.telegram.addFile(PNG, { name: `${at}.png`, type: 'image/png' })
      return { file_id: id, file_unique_id: id, file_size: PNG.byteLength, width: at, height: at }
    })
    for (const [at, photo] of parts.entries()) {
      ana.sends(bot, {
        media_group_id: 'album-1',
        photo: [photo],
        ...(at === 0 && { caption: 'Three views' }),
      })
    }
    ana.writes(bot, 'That is all')
    const ticket = await ticketOf('Three views')
    const messages = await desk.messages(ticket.id, 2)
    expect(messages.map(({ text, attachments = [] }) => [text, attachments.length])).toEqual([
      ['Three views', 3],
      ['That is all', 0],
    ])
  })

  test('says in words what is neither text nor file', async () => {
    const ana = somebody()
    ana.writes(bot, 'Other kinds')
    ana.sends(bot, {
      sticker: {
        file_id: 's',
        file_unique_id: 's',
        type: 'regular',
        width: 1,
        height: 1,
        is_animated: false,
        is_video: false,
        emoji: '👍',
      },
    })
    ana.sends(bot, { contact: { phone_number: '+49 30 1234', first_name: 'Max', last_name: 'Weber' } })
    ana.sends(bot, { location: { latitude: 52.52, longitude: 13.405 } })
    ana.sends(bot, {
      venue: { location: { latitude: 1, longitude: 2 }, title: 'Depot', address: 'Main Street 1' },
      location: { latitude: 1, longitude: 2 },
    })
    ana.sends(bot, {
      pinned_message: { chat: { id: 1, type: 'private', first_name: 'A' }, message_id: 1, date: 0 },
    })
    ana.writes(bot, 'The end')
    const ticket = await ticketOf('Other kinds')
    const messages = await desk.messages(ticket.id, 6)
    expect(messages.map(({ text }) => text?.replace(/https:\S+/, 'MAP'))).toEqual([
      'Other kinds',
      '👍',
      'Contact: Max Weber\n+49 30 1234',
      'Location:\nMAP',
      'Place: Depot\nMain Street 1\nMAP',
      'The end',
    ])
  })

  test('shows what it replies to and where it was forwarded from', async () => {
    const ana = somebody()
    const first = ana.writes(bot, 'Which size fits?')
    ana.sends(bot, { text: 'This one', reply_to_message: { ...first, reply_to_message: undefined } })
    ana.sends(bot, {
      text: 'From the news',
      forward_origin: {
        type: 'channel',
        date: 1,
        chat: { id: -1, type: 'channel', title: 'Daily Parcel' },
        message_id: 1,
      },
    })
    const ticket = await ticketOf('Which size fits?')
    const [question, answer, forward] = await desk.messages(ticket.id, 3)
    expect(answer?.telegram).toEqual({
      repliesTo: { messageId: question?.id ?? '', text: 'Which size fits?' },
    })
    expect(forward?.telegram).toEqual({ forwardedFrom: 'Daily Parcel' })
    expect(question).not.toHaveProperty('telegram')
  })

  test('that is changed shows the new text and keeps the one before', async () => {
    const ana = somebody()
    const { message_id: id } = ana.writes(bot, 'Order 4711')
    const ticket = await ticketOf('Order 4711')
    await desk.admin.call('PATCH', `/v1/tickets/${ticket.id}`, { body: { status: 'resolved' } })
    ana.edits(bot, id, { text: 'Order 4712' })
    const edited = await eventually(async () => {
      const [message] = await desk.messages(ticket.id, 1)
      if (message?.edits === undefined) await Bun.sleep(25)
      return message?.edits === undefined ? undefined : message
    })
    expect(edited).toMatchObject({ text: 'Order 4712', edits: 1 })
    const { json } = await desk.admin.call<{ data: { text: string }[] }>(
      'GET',
      `/console/tickets/${ticket.id}/messages/${edited.id}/edits`,
    )
    expect(json.data).toMatchObject([{ text: 'Order 4711' }])
    expect((await readThread(desk.admin, ticket.id)).ticket.status).toBe('resolved')
  })

  test('after the ticket was resolved opens it again', async () => {
    const ana = somebody()
    ana.writes(bot, 'Reopen me')
    const { id } = await ticketOf('Reopen me')
    await desk.admin.call('PATCH', `/v1/tickets/${id}`, { body: { status: 'resolved' } })
    ana.writes(bot, 'Still broken')
    await desk.messages(id, 2)
    expect((await readThread(desk.admin, id)).ticket.status).toBe('open')
  })
})

describe('the chat', () => {
  test('is greeted on /start, and has no ticket before something is written', async () => {
    const ana = somebody()
    const before = (await desk.tickets()).length
    ana.presses(bot)
    await eventually(() => desk.telegram.sent(bot, ana.id).length === 1)
    expect(desk.telegram.sent(bot, ana.id)[0]?.text).toContain('Write your question here')
    ana.presses(bot, 'made-up-token')
    await eventually(() => desk.telegram.sent(bot, ana.id).length === 2)
    expect(await desk.tickets()).toHaveLength(before)
    ana.writes(bot, 'First words')
    await ticketOf('First words')
  })

  test('of a group is told once that the bot answers in private chats only', async () => {
    const ana = somebody()
    const group = desk.telegram.addGroup('Friends')
    const before = (await desk.tickets()).length
    for (const text of ['@parcelbird_bot hello', 'anybody?', 'hello?']) ana.sendsTo(bot, group, { text })
    await eventually(() => desk.telegram.sent(bot, group.id).length === 1)
    ana.writes(bot, 'Private then')
    await ticketOf('Private then')
    expect(desk.telegram.sent(bot, group.id).map(({ text }) => text)).toEqual([
      'This bot answers in private chats only. Open its profile and write to it there.',
    ])
    expect(await desk.tickets()).toHaveLength(before + 1)
  })

  test('of somebody who blocked the bot says so, until they write again', async () => {
    const ana = somebody()
    ana.writes(bot, 'I am gone')
    const { id } = await ticketOf('I am gone')
    ana.blocks(bot)
    const problem = async () => (await readThread(desk.admin, id)).reply.problem
    await eventually(async () => {
      const found = await problem()
      if (!found) await Bun.sleep(25)
      return found
    })
    expect((await problem())?.reason).toContain('blocked the bot')
    ana.unblocks(bot)
    ana.writes(bot, 'Back again')
    await desk.messages(id, 2)
    expect(await problem()).toBeUndefined()
  })
})

describe('what Bellhop does not understand', () => {
  test('is stored, counted, and holds nothing up', async () => {
    const ana = somebody()
    const unknown = (await desk.bot(connected.id)).unknownUpdates
    const odd: object[] = [
      { message_of_tomorrow: { chat: { id: ana.id }, text: 'Hello' } },
      { message: 'not an object' },
      { message: { message_id: 'x', chat: { id: ana.id, type: 'private' } } },
      { message: { message_id: 77_777, chat: { id: ana.id, type: 'private' }, from: ana.user, photo: 'x' } },
    ]
    for (const update of odd) desk.telegram.deliver(bot, update)
    ana.sends(bot, { text: 'After the odd ones', ...{ field_of_tomorrow: { a: [1] } } })
    await ticketOf('After the odd ones')
    expect((await desk.bot(connected.id)).unknownUpdates).toBe(unknown + 2)
  })
})

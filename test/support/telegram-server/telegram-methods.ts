import type { Message, MessageEntity, Update, WebhookInfo } from '@grammyjs/types'
import {
  type BotChat,
  type ChatMessage,
  keepFile,
  newMessage,
  seconds,
  type TelegramBot,
  type TelegramFile,
  type TelegramState,
  userOf,
} from './telegram-state.ts'

const MAX_TEXT = 4_096
const MAX_CAPTION = 1_024
const MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024
const MAX_PHOTO_BYTES = 10 * 1024 * 1024
const MAX_ALBUM = 10
const DELETABLE_MS = 48 * 60 * 60_000

/** A request of a bot. Values of a form are texts; those of JSON have their types. */
export interface MethodCall {
  bot: TelegramBot
  params: Record<string, unknown>
  uploads: Map<string, { name: string; type: string; bytes: Uint8Array }>
  /** Called when the client has gone. */
  onClosed(call: () => void): void
}

/** An answer with `ok: false`. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    readonly description: string,
    readonly retryAfter?: number,
  ) {
    super(description)
  }
}

export type Methods = Record<string, (call: MethodCall) => unknown>

type Media = 'photo' | 'document' | 'video' | 'audio' | 'voice' | 'animation'

/** By their names in lower case. */
export function createMethods(state: TelegramState): Methods {
  const { clock } = state

  function chatFor({ bot, params }: MethodCall): BotChat {
    const chat = bot.chats.get(numberOf(params, 'chat_id') ?? Number.NaN)
    if (!chat) throw new Refusal(400, 'Bad Request: chat not found')
    if (chat.isDeactivated) throw new Refusal(403, 'Forbidden: user is deactivated')
    if (chat.isBlocked) throw new Refusal(403, 'Forbidden: bot was blocked by the user')
    return chat
  }

  function send(call: MethodCall, contentOf: () => Partial<Message>[]): Message[] {
    const held = chatFor(call)
    const contents = contentOf()
    const answered = answeredMessage(call, held)
    const wait = call.bot.flood.take(held.chat.id)
    if (wait !== undefined) throw new Refusal(429, `Too Many Requests: retry after ${wait}`, wait)
    return contents.map((content) => {
      const message: Message = {
        ...newMessage(state, call.bot, held.chat),
        from: userOf(call.bot),
        ...(answered && { reply_to_message: { ...answered, reply_to_message: undefined } }),
        ...content,
      }
      held.messages.push({ message, before: [], isDeleted: false })
      return message
    })
  }

  function sendMedia(kind: Media) {
    return (call: MethodCall) => {
      const file = uploadOf(state, call, call.params[kind], kind)
      return send(call, () => [{ ...mediaOf(kind, file), ...captionOf(call.params) }])[0]
    }
  }

  function sendMediaGroup(call: MethodCall): Message[] {
    const media = jsonOf(call.params, 'media')
    if (!Array.isArray(media) || media.length < 2 || media.length > MAX_ALBUM) {
      throw new Refusal(400, 'Bad Request: wrong number of items in the media group')
    }
    const items = media.filter(isRecord)
    const kinds = new Set(items.map(({ type }) => type))
    const isMixed = kinds.size > 1 && (kinds.has('document') || kinds.has('audio'))
    if (isMixed) throw new Refusal(400, "Bad Request: the media type can't be mixed with others in an album")
    const album = String(crypto.getRandomValues(new Uint32Array(1))[0])
    const contents = items.map((item) => {
      const kind = mediaKind(item.type)
      return { ...mediaOf(kind, uploadOf(state, call, item.media, kind)), ...captionOf(item) }
    })
    return send(call, () => contents.map((content) => ({ ...content, media_group_id: album })))
  }

  function edit(call: MethodCall, field: 'text' | 'caption'): Message {
    const held = ownMessage(call, chatFor(call), 'edit')
    const content: Partial<Message> = field === 'text' ? textContent(call.params) : captionOf(call.params)
    const before = held.message[field] ?? ''
    if (field === 'text' && held.message.text === undefined) {
      throw new Refusal(400, 'Bad Request: there is no text in the message to edit')
    }
    if (before === content[field] && isSameEntities(held.message, content)) {
      throw new Refusal(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      )
    }
    held.before.push(before)
    held.message = {
      ...held.message,
      entities: [],
      caption_entities: [],
      ...content,
      edit_date: seconds(clock),
    }
    return held.message
  }

  return {
    getme: ({ bot }) => bot.me,
    sendmessage: (call) => send(call, () => [textContent(call.params)])[0],
    sendphoto: sendMedia('photo'),
    senddocument: sendMedia('document'),
    sendvideo: sendMedia('video'),
    sendaudio: sendMedia('audio'),
    sendvoice: sendMedia('voice'),
    sendmediagroup: sendMediaGroup,
    editmessagetext: (call) => edit(call, 'text'),
    editmessagecaption: (call) => edit(call, 'caption'),
    deletemessage(call) {
      const held = ownMessage(call, chatFor(call), 'delete')
      if (clock.now() - held.message.date * 1000 > DELETABLE_MS) {
        throw new Refusal(400, "Bad Request: message can't be deleted for everyone")
      }
      held.isDeleted = true
      return true
    },
    sendchataction(call) {
      const { chat } = chatFor(call)
      call.bot.actions.push({ chatId: chat.id, action: textOf(call.params, 'action') })
      return true
    },
    getfile({ params }) {
      const file = state.files.get(textOf(params, 'file_id'))
      if (!file) throw new Refusal(400, 'Bad Request: invalid file_id')
      const size = file.claimedSize ?? file.bytes.byteLength
      if (size > MAX_DOWNLOAD_BYTES) throw new Refusal(400, 'Bad Request: file is too big')
      return { file_id: file.id, file_unique_id: uniqueId(file), file_size: size, file_path: file.path }
    },
    getupdates: (call) => getUpdates(state, call),
    setwebhook({ bot, params }) {
      const url = textOf(params, 'url')
      if (url === '') bot.queue.webhook = undefined
      else {
        const { protocol, hostname } = new URL(url)
        // Telegram wants https. Tests receive on loopback without it.
        if (protocol !== 'https:' && !/^(127\.|localhost$)/.test(hostname)) {
          throw new Refusal(400, 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook')
        }
        const maxConnections = numberOf(params, 'max_connections') ?? 40
        bot.queue.webhook = { url, secret: textOf(params, 'secret_token'), maxConnections }
        // A poll that waits ends with a conflict.
        bot.queue.takeOver({ wake: () => {}, terminate: () => {} })
      }
      if (params.drop_pending_updates === true) bot.queue.clear()
      return true
    },
    deletewebhook({ bot, params }) {
      bot.queue.webhook = undefined
      if (params.drop_pending_updates === true) bot.queue.clear()
      return true
    },
    getwebhookinfo({ bot }): WebhookInfo {
      const { webhook } = bot.queue
      return {
        url: webhook?.url ?? '',
        has_custom_certificate: false,
        pending_update_count: bot.queue.size,
        ...(webhook && { max_connections: webhook.maxConnections }),
        ...(webhook?.lastErrorAt !== undefined && { last_error_date: webhook.lastErrorAt }),
        ...(webhook?.lastError !== undefined && { last_error_message: webhook.lastError }),
      }
    },
    close: () => true,
  }
}

function getUpdates(state: TelegramState, { bot, params, onClosed }: MethodCall): Promise<Update[]> {
  const { queue } = bot
  if (queue.webhook) {
    throw new Refusal(
      409,
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    )
  }
  const offset = numberOf(params, 'offset') ?? 0
  const limit = numberOf(params, 'limit') ?? 100
  const waitMs = Math.min((numberOf(params, 'timeout') ?? 0) * 1000, state.maxPollMs)
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel()
      queue.leave(poller)
    }
    const answer = () => {
      end()
      resolve(queue.read(offset, limit))
    }
    const poller = {
      wake: answer,
      terminate() {
        end()
        reject(
          new Refusal(
            409,
            'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
          ),
        )
      },
    }
    let cancel = () => {}
    queue.takeOver(poller)
    const ready = queue.read(offset, limit)
    if (ready.length > 0 || waitMs <= 0) {
      end()
      resolve(ready)
      return
    }
    cancel = state.clock.after(waitMs, answer)
    onClosed(() => {
      end()
      resolve([])
    })
  })
}

function textContent(params: Record<string, unknown>): Partial<Message> {
  const text = textOf(params, 'text')
  if (text.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty')
  if (text.length > MAX_TEXT) throw new Refusal(400, 'Bad Request: message is too long')
  const entities = entitiesOf(text, jsonOf(params, 'entities'))
  return { text, ...(entities.length > 0 && { entities }) }
}

function captionOf(params: Record<string, unknown>): Partial<Message> {
  const caption = textOf(params, 'caption')
  if (caption.length > MAX_CAPTION) throw new Refusal(400, 'Bad Request: message caption is too long')
  const entities = entitiesOf(caption, jsonOf(params, 'caption_entities'))
  return caption === '' ? {} : { caption, ...(entities.length > 0 && { caption_entities: entities }) }
}

/** Telegram refuses entities outside of the text, and those that cut a character in half. */
function entitiesOf(text: string, given: unknown): MessageEntity[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw new Refusal(400, "Bad Request: can't parse entities")
  return given.filter(isEntity).map((entity) => {
    const { offset, length } = entity
    const end = offset + length
    if (offset < 0 || length <= 0 || end > text.length) {
      const detail = `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${text.length}`
      throw new Refusal(400, `Bad Request: ${detail}`)
    }
    if (isInsidePair(text, offset) || isInsidePair(text, end)) {
      const detail = `entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at UTF-16 offset ${end}`
      throw new Refusal(400, `Bad Request: ${detail}`)
    }
    return entity
  })
}

function isEntity(value: unknown): value is MessageEntity {
  return isRecord(value) && typeof value.type === 'string' && Number.isInteger(value.offset)
}

function isInsidePair(text: string, at: number): boolean {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) && /[\uD800-\uDBFF]/.test(text.charAt(at - 1))
}

function isSameEntities(message: Message, content: Partial<Message>): boolean {
  const of = (one: Partial<Message>) => JSON.stringify(one.entities ?? one.caption_entities ?? [])
  return of(message) === of(content)
}

/** The message that is answered. Throws when it is gone, unless the request allows that. */
function answeredMessage({ params }: MethodCall, { messages }: BotChat): Message | undefined {
  const reply = jsonOf(params, 'reply_parameters')
  if (!isRecord(reply)) return undefined
  const found = messages.find(
    ({ message, isDeleted }) => message.message_id === reply.message_id && !isDeleted,
  )
  if (found || reply.allow_sending_without_reply === true) return found?.message
  throw new Refusal(400, 'Bad Request: message to be replied not found')
}

function ownMessage({ bot, params }: MethodCall, { messages }: BotChat, to: 'edit' | 'delete'): ChatMessage {
  const id = numberOf(params, 'message_id')
  const held = messages.find(({ message, isDeleted }) => message.message_id === id && !isDeleted)
  if (!held) throw new Refusal(400, `Bad Request: message to ${to} not found`)
  // In a private chat a bot can delete incoming messages too.
  if (to === 'edit' && held.message.from?.id !== bot.me.id) {
    throw new Refusal(400, "Bad Request: message can't be edited")
  }
  return held
}

/** A file that is uploaded, or one that Telegram has already. */
function uploadOf(state: TelegramState, { uploads }: MethodCall, given: unknown, kind: Media): TelegramFile {
  const name = typeof given === 'string' ? given.replace(/^attach:\/\//, '') : kind
  const uploaded = uploads.get(name) ?? uploads.get(kind)
  const known = typeof given === 'string' ? state.files.get(given) : undefined
  if (known) return known
  if (!uploaded) throw new Refusal(400, `Bad Request: there is no ${kind} in the request`)
  const max = kind === 'photo' ? MAX_PHOTO_BYTES : MAX_UPLOAD_BYTES
  if (uploaded.bytes.byteLength > max) throw new Refusal(413, 'Request Entity Too Large')
  if (uploaded.bytes.byteLength === 0) throw new Refusal(400, 'Bad Request: file must be non-empty')
  return keepFile(state, uploaded.bytes, uploaded)
}

function mediaOf(kind: Media, file: TelegramFile): Partial<Message> {
  const base = { file_id: file.id, file_unique_id: uniqueId(file), file_size: file.bytes.byteLength }
  const named = { ...base, file_name: file.name, mime_type: file.type }
  switch (kind) {
    case 'photo':
      return { photo: [{ ...base, width: 320, height: 240 }] }
    case 'video':
      return { video: { ...named, width: 320, height: 240, duration: 1 } }
    case 'animation':
      return { animation: { ...named, width: 320, height: 240, duration: 1 }, document: named }
    case 'audio':
      return { audio: { ...named, duration: 1 } }
    case 'voice':
      return { voice: { ...base, mime_type: file.type, duration: 1 } }
    case 'document':
      return { document: named }
  }
}

function mediaKind(type: unknown): Media {
  switch (type) {
    case 'photo':
    case 'video':
    case 'audio':
    case 'document':
      return type
    default:
      throw new Refusal(400, 'Bad Request: unknown media type')
  }
}

function uniqueId({ id }: TelegramFile): string {
  return `u${id.slice(0, 14)}`
}

function textOf(params: Record<string, unknown>, name: string): string {
  const value = params[name]
  return typeof value === 'string' ? value : ''
}

function numberOf(params: Record<string, unknown>, name: string): number | undefined {
  const value = params[name]
  if (value === undefined || value === null || value === '') return undefined
  const number = Number(value)
  return Number.isNaN(number) ? undefined : number
}

/** In a form, objects are JSON. */
function jsonOf(params: Record<string, unknown>, name: string): unknown {
  const value = params[name]
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    throw new Refusal(400, `Bad Request: can't parse ${name} JSON object`)
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

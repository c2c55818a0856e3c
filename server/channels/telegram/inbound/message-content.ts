import type { Message, MessageOrigin, User } from '@grammyjs/types'
import { cleanFileName } from '../../../attachments/file-name.ts'
import type { MessageFormat } from '../../../database/tables/messages.ts'
import { plainTextOf } from '../../../formatting/plain-text.ts'
import { cleanLines, cut, isBlank, lengthOf, oneLine } from '../../../text/text.ts'
import { MAX_MESSAGE_LENGTH } from '../../../tickets/messages.ts'
import { markdownOfEntities } from './entities-markdown.ts'

const MAX_QUOTED_LENGTH = 300
const MAX_NAME_LENGTH = 255
export const UNSUPPORTED = "(A type of message that Bellhop can't show. Ask the customer what it says.)"

/** A file of a message that is still at Telegram. */
export interface IncomingFile {
  fileId: string
  /** The same for the same file, unlike the id. */
  uniqueId: string
  name: string
  /** Media type as Telegram gave it; empty when it did not. */
  type: string
  /** Bytes, if Telegram says. */
  size: number | null
}

export interface MessageContent {
  text: string
  format: MessageFormat
  files: IncomingFile[]
  forwardedFrom?: string
  /** The message that it answers, and what Telegram shows of that. */
  repliesTo?: { telegramMessageId: number | null; text: string }
}

/** What a message says, in one text and files. Undefined for one that says nothing, such as a pinned message. */
export function contentOf(message: Message): MessageContent | undefined {
  const files = filesOf(message)
  const said = textOf(message)
  if (isBlank(said.text) && files.length === 0) return undefined
  const forwardedFrom = message.forward_origin && nameOfOrigin(message.forward_origin)
  const repliesTo = answeredBy(message)
  return {
    ...(isBlank(said.text) ? { text: '', format: 'plain' } : said),
    files,
    ...(forwardedFrom !== undefined && { forwardedFrom }),
    ...(repliesTo && { repliesTo }),
  }
}

/** An album is one message: the texts of its parts below each other, all files, and the rest as the first part says it. */
export function joined(parts: MessageContent[]): MessageContent | undefined {
  const [first] = parts
  if (!first) return undefined
  const said = parts.filter(({ text }) => text !== '')
  const [only, second] = said
  const { text, format } = only && !second ? only : { text: textOfAll(said), format: 'plain' as const }
  return { ...first, text, format, files: parts.flatMap(({ files }) => files) }
}

/** Without formatting, because what begins in one part could end in the next. */
function textOfAll(parts: MessageContent[]): string {
  return cut(parts.map((part) => plainTextOf(part)).join('\n\n'), MAX_MESSAGE_LENGTH)
}

/** The name of a person as they set it, in one line; empty for a deleted account. */
export function fullName({ first_name, last_name = '' }: Pick<User, 'first_name' | 'last_name'>): string {
  const given = [first_name, last_name].filter((part) => typeof part === 'string')
  const name = oneLine(given.join(' '))
  return isBlank(name) ? '' : [...name].slice(0, MAX_NAME_LENGTH).join('')
}

function textOf(message: Message): { text: string; format: MessageFormat } {
  const { text = message.caption, entities = message.caption_entities ?? [] } = message
  if (text !== undefined) {
    const markdown = markdownOfEntities(text, entities)
    if (markdown !== undefined && lengthOf(markdown) <= MAX_MESSAGE_LENGTH) {
      return { text: cleaned(markdown), format: 'markdown' }
    }
    return { text: cut(cleaned(text), MAX_MESSAGE_LENGTH), format: 'plain' }
  }
  return { text: cut(cleaned(spokenOf(message)), MAX_MESSAGE_LENGTH), format: 'plain' }
}

/** Content other than text and files, as readable text. */
function spokenOf(message: Message): string {
  const { sticker, contact, venue, location, dice, poll, game, story, checklist } = message
  if (sticker) return sticker.emoji ?? '(Sticker)'
  if (contact) return lines(`Contact: ${fullName(contact)}`, contact.phone_number)
  if (venue) return lines(`Place: ${venue.title}`, venue.address, mapOf(venue.location))
  if (location) return lines('Location:', mapOf(location))
  if (dice) return `${dice.emoji} ${dice.value}`
  if (poll) return lines(`Poll: ${poll.question}`, ...poll.options.map(({ text }) => `- ${text}`))
  if (checklist)
    return lines(`Checklist: ${checklist.title}`, ...checklist.tasks.map(({ text }) => `- ${text}`))
  if (game) return `Game: ${game.title}`
  if (story) return "(A story, which Bellhop can't show.)"
  return isContent(message) ? UNSUPPORTED : ''
}

/** Whether a person sent this, and it isn't a service message of Telegram about the chat. */
function isContent(message: Message): boolean {
  return UNSUPPORTED_FIELDS.some((field) => message[field] !== undefined)
}

const UNSUPPORTED_FIELDS = ['paid_media', 'rich_message', 'invoice', 'giveaway', 'gift'] as const

function mapOf({ latitude, longitude }: { latitude: number; longitude: number }): string {
  const [lat, lon] = [latitude.toFixed(5), longitude.toFixed(5)]
  return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=16/${lat}/${lon}`
}

function lines(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join('\n')
}

/** The file of a message, which has one at most. Undefined also for one whose fields are of unknown types. */
export function fileIn(message: Message): IncomingFile | undefined {
  try {
    return filesOf(message)[0]
  } catch {
    return undefined
  }
}

function filesOf(message: Message): IncomingFile[] {
  const { photo, animation, document, video, video_note, voice, audio } = message
  if (photo) {
    const largest = photo.toSorted((one, other) => other.width * other.height - one.width * one.height)[0]
    return largest ? [fileOf(largest, `photo-${message.message_id}.jpg`, 'image/jpeg')] : []
  }
  // An animation is a document too, for old programs.
  if (animation) return [fileOf(animation, 'animation.mp4', 'video/mp4')]
  if (document) return [fileOf(document, 'file', '')]
  if (video) return [fileOf(video, `video-${message.message_id}.mp4`, 'video/mp4')]
  if (video_note) return [fileOf(video_note, `video-message-${message.message_id}.mp4`, 'video/mp4')]
  if (voice) return [fileOf(voice, `voice-message-${message.message_id}.ogg`, 'audio/ogg')]
  if (audio) return [fileOf(audio, `${audio.title ?? 'audio'}.mp3`, 'audio/mpeg')]
  return []
}

interface FileFields {
  file_id: string
  file_unique_id: string
  file_size?: number
  file_name?: string
  mime_type?: string
}

function fileOf(file: FileFields, name: string, type: string): IncomingFile {
  return {
    fileId: file.file_id,
    uniqueId: file.file_unique_id,
    name: cleanFileName(file.file_name ?? name),
    type: file.mime_type ?? type,
    size: file.file_size ?? null,
  }
}

function nameOfOrigin(origin: MessageOrigin): string {
  switch (origin.type) {
    case 'user':
      return fullName(origin.sender_user) || 'a deleted account'
    case 'hidden_user':
      return oneLine(origin.sender_user_name)
    case 'chat':
      return oneLine(origin.sender_chat.title ?? 'a group')
    case 'channel':
      return oneLine(origin.chat.title)
  }
}

/** The part that the customer quoted, or else the beginning of the message. */
function answeredBy(message: Message): MessageContent['repliesTo'] {
  const { reply_to_message: answered, quote, external_reply: elsewhere } = message
  if (!answered && !elsewhere) return undefined
  const shown = quote?.text ?? (answered && (answered.text ?? answered.caption ?? spokenOf(answered))) ?? ''
  const [file] = answered ? filesOf(answered) : []
  const text = oneLine(cleaned(shown)) || file?.name || ''
  return { telegramMessageId: answered?.message_id ?? null, text: cut(text, MAX_QUOTED_LENGTH) }
}

function cleaned(text: string): string {
  return cleanLines(text.toWellFormed()).trim()
}

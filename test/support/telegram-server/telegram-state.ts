import type { Chat, Message, User, UserFromGetMe } from '@grammyjs/types'
import type { Clock } from '../../../server/clock.ts'
import type { FloodControl } from './flood-control.ts'
import type { UpdateQueue } from './update-queue.ts'

/** The secret part of every token begins with it, so that one that got out is found anywhere. */
export const TOKEN_MARK = 'AAStandIn'

/** A message as the users of a chat see it. */
export interface ChatMessage {
  message: Message
  /** Texts or captions before each edit, oldest first. */
  before: string[]
  isDeleted: boolean
}

/** A file that Telegram keeps. */
export interface TelegramFile {
  id: string
  path: string
  name: string
  type: string
  bytes: Uint8Array
  /** What `getFile` says, if it is not the size of the bytes. */
  claimedSize?: number
}

/** A bot, and everything that happens to it. */
export interface TelegramBot {
  token: string
  me: UserFromGetMe
  /** Updates that no one has confirmed yet. */
  queue: UpdateQueue
  chats: Map<number, BotChat>
  nextMessageId: number
  /** Actions such as `typing`, oldest first. */
  actions: { chatId: number; action: string }[]
  flood: FloodControl
}

/** What a bot has with one user or group. */
export interface BotChat {
  chat: Exclude<Chat, Chat.ChannelChat>
  /** Of both sides, oldest first. */
  messages: ChatMessage[]
  isBlocked: boolean
  isDeactivated: boolean
}

/** What the server knows. */
export interface TelegramState {
  clock: Clock
  bots: TelegramBot[]
  /** By `file_id`. */
  files: Map<string, TelegramFile>
  maxPollMs: number
}

/** The chat of a bot, opened when there is none. */
export function chatOf(bot: TelegramBot, chat: BotChat['chat']): BotChat {
  const known = bot.chats.get(chat.id)
  if (known) return known
  const opened = { chat, messages: [], isBlocked: false, isDeactivated: false }
  bot.chats.set(chat.id, opened)
  return opened
}

/** Message ids count through all private chats of a bot. */
export function newMessage(state: TelegramState, bot: TelegramBot, chat: BotChat['chat']): Message {
  const message_id = bot.nextMessageId
  bot.nextMessageId += 1
  return { message_id, chat, date: seconds(state.clock) }
}

export function keepFile(
  state: TelegramState,
  bytes: Uint8Array,
  { name, type, claimedSize }: { name: string; type: string; claimedSize?: number },
): TelegramFile {
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
  const path = `files/file_${state.files.size}${/\.\w+$/.exec(name)?.[0] ?? ''}`
  const file = { id, path, name, type, bytes, ...(claimedSize !== undefined && { claimedSize }) }
  state.files.set(id, file)
  return file
}

/** A bot as it is in messages: only `getMe` says more. */
export function userOf({ me: { id, is_bot, first_name, username } }: TelegramBot): User {
  return { id, is_bot, first_name, username }
}

/** Unix time, as in all answers. */
export function seconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000)
}

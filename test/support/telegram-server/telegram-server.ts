import type { Chat, Message, Update, User } from '@grammyjs/types'
import type { Clock } from '../../../server/clock.ts'
import { FloodControl, type FloodLimits } from './flood-control.ts'
import { type Fault, type FaultOptions, Faults } from './telegram-faults.ts'
import { startHttp } from './telegram-http.ts'
import { createMethods } from './telegram-methods.ts'
import {
  type BotChat,
  type ChatMessage,
  chatOf,
  keepFile,
  newMessage,
  seconds,
  type TelegramBot,
  type TelegramFile,
  type TelegramState,
  TOKEN_MARK,
  userOf,
} from './telegram-state.ts'
import { UpdateQueue } from './update-queue.ts'

/** What a user sends: the fields of a message that say what it is. */
type MessageContent = Omit<Partial<Message>, 'message_id' | 'chat' | 'from' | 'date'>

export interface TelegramOptions {
  clock: Clock
  /** 0 for a free one. */
  port?: number
  limits?: FloodLimits
  /** Cuts long polls short, so that tests need not wait. */
  maxPollMs?: number
  /** How often each update is delivered before it is forgotten: real ones come twice when an answer was lost. */
  deliveries?: number
}

/**
 * A server that keeps the rules of Telegram's Bot API (core.telegram.org/bots/api), with the other side of it: people who
 * write, edit, and block bots. For tests and the demo.
 */
export interface TelegramServer {
  /** For `BELLHOP_TELEGRAM_API`. */
  root: string
  bots: TelegramBot[]
  /** Makes a bot; its first update has the id that is given. */
  addBot(given?: { username?: string; name?: string; firstUpdateId?: number }): TelegramBot
  /** Makes the token invalid, as BotFather does, and returns the new one. */
  revokeToken(bot: TelegramBot): string
  addUser(given?: Partial<Omit<User, 'is_bot'>>): TelegramUser
  addGroup(title: string): Chat.GroupChat
  /** Keeps a file, as if someone had uploaded it. */
  addFile(bytes: Uint8Array, given: { name: string; type: string; claimedSize?: number }): TelegramFile
  /** Delivers any update, with an id unless it has one. */
  deliver(bot: TelegramBot, update: Omit<Update, 'update_id'> & { update_id?: number }): Update
  /** All messages of a chat, both sides, oldest first. */
  chat(bot: TelegramBot, chatId: number): ChatMessage[]
  /** What the bot has sent to a chat, and is still there. */
  sent(bot: TelegramBot, chatId: number): Message[]
  /** Makes requests fail. Returns how often it did so far, as a function that ends it. */
  fail(fault: Fault, options?: FaultOptions): { count(): number; end(): void }
  /** Requests of a method so far; of all methods without one. */
  requests(method?: string): number
  /** Opens connections now. */
  connections(): number
  close(): Promise<void>
}

/** A person in a private chat with bots. */
export interface TelegramUser {
  user: User
  id: number
  /** Opens the chat without a word; the first message does so too. */
  opens(bot: TelegramBot): void
  /** The first message of a chat opens it. */
  sends(bot: TelegramBot, content: MessageContent): Message
  writes(bot: TelegramBot, text: string, more?: MessageContent): Message
  presses(bot: TelegramBot, startToken?: string): Message
  /** Into a group that the bot is in. */
  sendsTo(bot: TelegramBot, group: Chat.GroupChat, content: MessageContent): Message
  edits(bot: TelegramBot, messageId: number, content: MessageContent): Message
  blocks(bot: TelegramBot): void
  unblocks(bot: TelegramBot): void
  /** Telegram tells no one: sending fails from then on. */
  deletesAccount(): void
}

const DEFAULT_LIMITS: FloodLimits = {
  perChat: { burst: 2, everyMs: 1000 },
  perBot: { burst: 30, everyMs: 34 },
}

export async function startTelegram(options: TelegramOptions): Promise<TelegramServer> {
  const { clock, limits = DEFAULT_LIMITS } = options
  const state: TelegramState = { clock, bots: [], files: new Map(), maxPollMs: options.maxPollMs ?? 50_000 }
  const faults = new Faults()
  const http = await startHttp({ state, faults, methods: createMethods(state), port: options.port ?? 0 })
  let counter = 0
  const number = () => {
    counter += 1
    return counter
  }

  function makeToken(id: number): string {
    return `${id}:${TOKEN_MARK}${Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64url')}`
  }

  function deliver(bot: TelegramBot, update: Omit<Update, 'update_id'> & { update_id?: number }): Update {
    return bot.queue.add(update)
  }

  function addUser(given: Partial<Omit<User, 'is_bot'>> = {}): TelegramUser {
    const id = given.id ?? 500_000 + number()
    const user: User = { first_name: `User ${id}`, ...given, id, is_bot: false }
    const { username, last_name } = user
    const chat: Chat.PrivateChat = {
      id,
      type: 'private',
      first_name: user.first_name,
      ...(last_name !== undefined && { last_name }),
      ...(username !== undefined && { username }),
    }
    const place = (bot: TelegramBot, where: BotChat['chat'], content: MessageContent) => {
      const held = chatOf(bot, where)
      const message = { ...newMessage(state, bot, where), from: user, ...content, chat: where }
      held.messages.push({ message, before: [], isDeleted: false })
      deliver(bot, { message })
      return message
    }
    const member = (bot: TelegramBot, isBlocked: boolean) => {
      chatOf(bot, chat).isBlocked = isBlocked
      const is = (status: 'member' | 'kicked') =>
        status === 'kicked' ? { status, user: userOf(bot), until_date: 0 } : { status, user: userOf(bot) }
      const [before, after] = isBlocked ? (['member', 'kicked'] as const) : (['kicked', 'member'] as const)
      const date = seconds(clock)
      deliver(bot, {
        my_chat_member: { chat, from: user, date, old_chat_member: is(before), new_chat_member: is(after) },
      })
    }
    return {
      user,
      id,
      opens: (bot) => void chatOf(bot, chat),
      sends: (bot, content) => place(bot, chat, content),
      writes: (bot, text, more = {}) => place(bot, chat, { text, ...more }),
      presses(bot, startToken) {
        const text = startToken === undefined ? '/start' : `/start ${startToken}`
        return place(bot, chat, { text, entities: [{ type: 'bot_command', offset: 0, length: 6 }] })
      },
      sendsTo: (bot, group, content) => place(bot, group, content),
      edits(bot, messageId, content) {
        const held = chatOf(bot, chat).messages.find(({ message }) => message.message_id === messageId)
        if (!held) throw new Error(`The message ${messageId} is not in the chat.`)
        held.before.push(held.message.text ?? held.message.caption ?? '')
        // The formatting of the text before says nothing about the new one.
        const { entities: _, caption_entities: __, ...kept } = held.message
        const edited = { ...kept, from: user, ...content, chat, edit_date: seconds(clock) }
        held.message = edited
        deliver(bot, { edited_message: edited })
        return edited
      },
      blocks: (bot) => member(bot, true),
      unblocks: (bot) => member(bot, false),
      deletesAccount() {
        for (const bot of state.bots) chatOf(bot, chat).isDeactivated = true
      },
    }
  }

  return {
    root: http.root,
    bots: state.bots,
    addBot(given = {}) {
      const id = 7_000_000_000 + number()
      const username = given.username ?? `support_${number()}_bot`
      const bot: TelegramBot = {
        token: makeToken(id),
        me: {
          id,
          is_bot: true,
          first_name: given.name ?? 'Support',
          username,
          can_join_groups: true,
          can_read_all_group_messages: false,
          supports_inline_queries: false,
          supports_join_request_queries: false,
          can_connect_to_business: false,
          has_main_web_app: false,
          has_topics_enabled: false,
          allows_users_to_create_topics: false,
          can_manage_bots: false,
        },
        queue: new UpdateQueue(clock, given.firstUpdateId ?? 100_000 + number(), options.deliveries ?? 1),
        chats: new Map(),
        nextMessageId: 1,
        actions: [],
        flood: new FloodControl(clock, limits),
      }
      state.bots.push(bot)
      return bot
    },
    revokeToken(bot) {
      bot.token = makeToken(bot.me.id)
      return bot.token
    },
    addUser,
    addGroup: (title) => ({ id: -(900_000 + number()), type: 'group', title }),
    addFile: (bytes, given) => keepFile(state, bytes, given),
    deliver,
    chat: (bot, chatId) => bot.chats.get(chatId)?.messages ?? [],
    sent: (bot, chatId) =>
      (bot.chats.get(chatId)?.messages ?? [])
        .filter(({ message, isDeleted }) => message.from?.id === bot.me.id && !isDeleted)
        .map(({ message }) => message),
    fail: (fault, given = {}) => faults.add(fault, given),
    requests: http.requests,
    connections: http.connections,
    close: http.close,
  }
}

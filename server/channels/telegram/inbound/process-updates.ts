import type { ChatMemberUpdated, Message } from '@grammyjs/types'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../database/database.ts'
import { integer, statement, text } from '../../../database/statement.ts'
import { bots, telegramUpdates } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { type Loop, startLoop } from '../../../loop.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { BotApiError } from '../bot-api/bot-api-error.ts'
import { type Bot, tokenOf } from '../bots/bot-rows.ts'
import { type ChatLimits, createChatLimits } from './chat-limits.ts'
import { findMessage } from './chats.ts'
import { type FetchedFile, fetchFile } from './fetch-file.ts'
import { fileEdit } from './file-edit.ts'
import { fileMembership } from './file-membership.ts'
import { fileMessage } from './file-message.ts'
import {
  contentOf,
  fileIn,
  type IncomingFile,
  joined,
  type MessageContent,
  UNSUPPORTED,
} from './message-content.ts'
import { type Filed, markProcessed } from './processed.ts'

/** How many chats are processed at the same time. A download in one doesn't delay the others. */
const CHATS_AT_ONCE = 16
/** Updates of a chat read at once. */
const SLICE = 50
/** The parts of an album arrive as messages of their own. It is complete when no further one came for so long. */
const ALBUM_QUIET_MS = 700
const MAX_ALBUM = 10
/** An update whose processing fails this often is put aside: the next ones must not wait for it. */
const MAX_ATTEMPTS = 3
const RETRY_MS = 1_000
/** After a fault of this server, such as a full disk. */
const SERVER_FAULT_MS = 5_000
const DOWNLOAD_ATTEMPTS = 2
const REST_MS = 60_000
const FAILED = 'Bellhop could not process this update. The log says why.'

type Update = typeof telegramUpdates.$inferSelect

/** When the work on a chat continues; undefined if there is nothing left to do. */
type Rest = number | undefined

/**
 * Turns stored updates into messages, in order within each chat, including those from before a crash. An update that
 * fails delays only its own chat, and only for a short time.
 */
export function startProcessingUpdates(deps: Deps, api: BotApi): Loop {
  const running = new Map<string, Promise<void>>()
  /** Chats that wait for a time: for the rest of an album, or after a failure. */
  const waiting = new Map<string, number>()
  const limits = createChatLimits(deps.clock)
  const ended = new AbortController()

  const loop = startLoop(deps, 'incoming telegram', [telegramUpdates], async () => {
    const now = deps.clock.monotonic()
    limits.sweep()
    for (const [chat, until] of waiting) if (until <= now) waiting.delete(chat)
    const limit = CHATS_AT_ONCE + running.size + waiting.size
    for (const { botId, chatId } of await findChats(deps.database.read, { limit })) {
      const key = `${botId}:${chatId}`
      if (running.has(key) || waiting.has(key)) continue
      if (running.size >= CHATS_AT_ONCE) break
      running.set(key, start(key, { botId, chatId }))
    }
    const next = Math.min(...waiting.values())
    return Number.isFinite(next) ? next - deps.clock.monotonic() : REST_MS
  })

  async function start(key: string, chat: { botId: string; chatId: string }): Promise<void> {
    const rest = await processChat(deps, api, { ...chat, limits }, ended.signal).catch((error) => {
      if (!ended.signal.aborted) deps.log.error('telegram_chat_failed', { botId: chat.botId, error })
      return SERVER_FAULT_MS
    })
    if (rest !== undefined) waiting.set(key, deps.clock.monotonic() + rest)
    running.delete(key)
    loop.wake()
  }

  return {
    wake: loop.wake,
    async stop() {
      ended.abort()
      await loop.stop()
      await Promise.all(running.values())
    },
  }
}

async function processChat(
  deps: Deps,
  api: BotApi,
  { limits, ...chat }: Chat & { limits: ChatLimits },
  signal: AbortSignal,
): Promise<Rest> {
  const [bot] = await deps.database.read.select().from(bots).where(eq(bots.id, chat.botId))
  if (!bot) return undefined
  while (!signal.aborted) {
    const pending = await findPending(deps.database.read, { ...chat, limit: SLICE })
    if (pending.length === 0) return undefined
    for (const group of groupsOf(pending)) {
      const rest = restBefore(deps, group) ?? limits.take(chat)
      if (rest !== undefined) return rest
      try {
        await process(deps, api, { bot, group, signal })
      } catch (error) {
        if (signal.aborted) return undefined
        deps.log.error('telegram_update_failed', { updateId: group[0]?.id, error })
        await countFault(deps, group, error)
        break
      }
    }
  }
  return undefined
}

/**
 * Updates one by one, and the parts of an album together, in the place of the first. The last group of a full slice waits
 * for the next slice, unless it is the only one: more parts may follow.
 */
function groupsOf(pending: Update[]): Update[][] {
  const groups: Update[][] = []
  const albums = new Map<string, Update[]>()
  for (const update of pending) {
    const album = update.kind === 'message' ? update.album : null
    const known = album === null ? undefined : albums.get(album)
    if (known) known.push(update)
    else {
      const group = [update]
      groups.push(group)
      if (album !== null) albums.set(album, group)
    }
  }
  if (pending.length < SLICE) return groups
  const isOpen = (group: Update[]) => albums.has(group[0]?.album ?? '')
  const firstOpen = groups.findIndex(isOpen)
  return firstOpen > 0 ? groups.slice(0, firstOpen) : groups
}

/** How long a group has to wait: for another attempt, or for the rest of an album. */
function restBefore({ clock }: Deps, group: Update[]): Rest {
  const now = clock.now()
  const [first] = group
  const newest = group.at(-1)
  if (!first || !newest) return undefined
  // The clock may have been set back since.
  if (first.dueAt > now) return Math.min(first.dueAt - now, SERVER_FAULT_MS)
  const isAlbum = first.album !== null && first.kind === 'message'
  const quietFor = now - newest.createdAt
  const isOpen = isAlbum && group.length < MAX_ALBUM && quietFor >= 0 && quietFor < ALBUM_QUIET_MS
  return isOpen ? ALBUM_QUIET_MS - quietFor : undefined
}

interface Work {
  bot: Bot
  /** One update, or the parts of an album. */
  group: Update[]
  signal: AbortSignal
}

async function process(deps: Deps, api: BotApi, work: Work): Promise<void> {
  const { bot, group } = work
  const [first] = group
  switch (first?.kind) {
    case 'edited_message': {
      const message = messageIn(first)
      const content = readContent([message])
      using replaced = await fetchReplaced(deps, api, work, message)
      const { fetched } = replaced
      const filed = await unit(deps, work, (tx) => fileEdit(deps, tx, { bot, message, content, fetched }))
      // An edit of a message that was never received is a new message.
      if (!filed) await processMessage(deps, api, work)
      return
    }
    case 'my_chat_member': {
      const member = memberIn(first)
      await unit(deps, work, (tx) => fileMembership(deps, tx, { bot, member }))
      return
    }
    default:
      await processMessage(deps, api, work)
  }
}

/** Files are in the store before the message is, so that it is announced with them. */
async function processMessage(deps: Deps, api: BotApi, work: Work): Promise<void> {
  const { bot, group, signal } = work
  const parts = group.map((update) => messageIn(update))
  const { content, isReadable } = contentOrNote(parts)
  const token = tokenOf(deps, bot)
  const fetched: FetchedFile[] = []
  using kept = new DisposableStack()
  const [first] = parts
  const isWanted = first?.chat.type === 'private' && !(await isKnown(deps, bot, parts))
  for (const file of isWanted ? (content?.files ?? []) : []) {
    const one = await fetchWithRetry(deps, api, { token, file, signal })
    if ('kept' in one) kept.use(one.kept)
    fetched.push(one)
  }
  await unit(deps, work, async (tx) => {
    const filed = await fileMessage(deps, tx, { bot, parts, content, fetched })
    return filed.outcome === 'done' && !isReadable ? UNREAD : filed
  })
}

/** The file of an edit, if it is another one than the message came with. */
async function fetchReplaced(
  deps: Deps,
  api: BotApi,
  { bot, signal }: Work,
  message: Message,
): Promise<Disposable & { fetched: FetchedFile[] }> {
  const file = fileIn(message)
  const where = { chatId: String(message.chat.id), telegramMessageId: message.message_id }
  const known = file && (await findMessage(deps.database.read, bot, where))
  if (!file || !known?.messageId || known.file === file.uniqueId) {
    return { fetched: [], [Symbol.dispose]() {} }
  }
  const fetched = await fetchWithRetry(deps, api, { token: tokenOf(deps, bot), file, signal })
  const kept = 'kept' in fetched ? fetched.kept : undefined
  return { fetched: [fetched], [Symbol.dispose]: () => kept?.[Symbol.dispose]() }
}

/** A message that is delivered twice isn't downloaded twice. */
async function isKnown(deps: Deps, bot: Bot, parts: Message[]): Promise<boolean> {
  for (const { chat, message_id: telegramMessageId } of parts) {
    if (!(await findMessage(deps.database.read, bot, { chatId: String(chat.id), telegramMessageId })))
      return false
  }
  return true
}

async function fetchWithRetry(
  deps: Deps,
  api: BotApi,
  given: { token: string | undefined; file: IncomingFile; signal: AbortSignal },
): Promise<FetchedFile> {
  let fetched = await fetchFile(deps, api, given)
  for (let attempt = 1; attempt < DOWNLOAD_ATTEMPTS; attempt++) {
    if (!('missing' in fetched) || fetched.isFinal || fetched.retryAfterMs !== undefined) break
    fetched = await fetchFile(deps, api, given)
  }
  return fetched
}

/** What an update changes, and that it is processed, in one unit. */
function unit(
  deps: Deps,
  { group }: Work,
  file: (tx: Transaction) => Promise<Filed | undefined>,
): Promise<Filed | undefined> {
  return deps.database.write(async (tx) => {
    // Its customer may have been deleted since it was read.
    const isThere = await isPending(tx, group[0]?.id ?? '')
    if (!isThere) return GONE
    const filed = await file(tx)
    if (filed) await markProcessed(deps, tx, group, filed)
    return filed
  })
}

const UNREAD: Filed = { outcome: 'failed', reason: 'The message has fields of unknown types.' }
const GONE: Filed = { outcome: 'ignored', reason: 'It was deleted.' }

async function isPending(tx: Transaction, id: string): Promise<boolean> {
  const isIt = and(eq(telegramUpdates.id, id), eq(telegramUpdates.state, 'pending'))
  return (await tx.select({ id: telegramUpdates.id }).from(telegramUpdates).where(isIt)).length > 0
}

/** An update that doesn't match Telegram's types. Reading it again wouldn't help. */
class UnreadableUpdate extends Error {}

/** The combined content of the messages. */
function readContent(parts: Message[]): MessageContent | undefined {
  try {
    return joined(parts.flatMap((message) => contentOf(message) ?? []))
  } catch (cause) {
    throw new UnreadableUpdate('The message has fields of unknown types.', { cause })
  }
}

/** Agents learn of a message that can't be read: the customer waits for an answer. */
function contentOrNote(parts: Message[]): { content: MessageContent | undefined; isReadable: boolean } {
  try {
    return { content: readContent(parts), isReadable: true }
  } catch (error) {
    if (!(error instanceof UnreadableUpdate)) throw error
    return { content: { text: UNSUPPORTED, format: 'plain', files: [] }, isReadable: false }
  }
}

function messageIn({ raw, kind }: Update): Message {
  const message = field(raw, kind)
  if (!isMessage(message)) throw new UnreadableUpdate('The update has no readable message.')
  return message
}

function memberIn({ raw, kind }: Update): ChatMemberUpdated {
  const member = field(raw, kind)
  if (!isMembership(member)) throw new UnreadableUpdate('The update has no readable membership.')
  return member
}

/**
 * Checks the fields that all other code relies on. If others are wrong, reading them throws, and the update is put
 * aside.
 */
function isMessage(value: unknown): value is Message {
  const chat = field(value, 'chat')
  return (
    Number.isSafeInteger(field(value, 'message_id')) &&
    Number.isSafeInteger(field(chat, 'id')) &&
    typeof field(chat, 'type') === 'string'
  )
}

function isMembership(value: unknown): value is ChatMemberUpdated {
  const chat = field(value, 'chat')
  const status = field(field(value, 'new_chat_member'), 'status')
  return (
    Number.isSafeInteger(field(chat, 'id')) &&
    typeof field(chat, 'type') === 'string' &&
    typeof status === 'string'
  )
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}

/** A fault of this server is not a fault of the update. */
async function countFault(deps: Deps, group: Update[], error: unknown): Promise<void> {
  const isOurs = (error instanceof AppError && error.status >= 500) || error instanceof BotApiError
  const now = deps.clock.now()
  const isLast = (update: Update) =>
    error instanceof UnreadableUpdate || (!isOurs && update.attempts + 1 >= MAX_ATTEMPTS)
  await deps.database.write(async (tx) => {
    for (const update of group) {
      if (isLast(update)) await markProcessed(deps, tx, [update], { outcome: 'failed', reason: FAILED })
      else {
        await tx
          .update(telegramUpdates)
          .set({
            attempts: isOurs ? update.attempts : update.attempts + 1,
            dueAt: now + (isOurs ? SERVER_FAULT_MS : RETRY_MS),
          })
          .where(and(eq(telegramUpdates.id, update.id), eq(telegramUpdates.state, 'pending')))
      }
    }
  })
}

type Chat = { botId: string; chatId: string }

/** Runs at every commit, so it is planned once. */
const findChats = statement('telegram_pending_chats', { limit: integer }, (read: Reader, p) =>
  read
    .selectDistinct({ botId: telegramUpdates.botId, chatId: telegramUpdates.chatId })
    .from(telegramUpdates)
    // Literally the condition of the index: SQLite uses a partial index only then.
    .where(sql`state = 'pending'`)
    .orderBy(sql`${telegramUpdates.botId}, ${telegramUpdates.chatId} limit ${p.limit}`),
)

const findPending = statement(
  'telegram_pending',
  { botId: text, chatId: text, limit: integer },
  (read: Reader, p) =>
    read
      .select()
      .from(telegramUpdates)
      .where(
        and(sql`state = 'pending'`, eq(telegramUpdates.botId, p.botId), eq(telegramUpdates.chatId, p.chatId)),
      )
      .orderBy(asc(telegramUpdates.botId), sql`${telegramUpdates.id} limit ${p.limit}`),
)

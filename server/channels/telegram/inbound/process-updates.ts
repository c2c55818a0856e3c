import type { ChatMemberUpdated, Message } from '@grammyjs/types'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { PartitionLost } from '../../../database/postgresql/fence.ts'
import { integer, statement, text } from '../../../database/statement.ts'
import { bots, telegramUpdates } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { isHeld } from '../../../jobs/held.ts'
import { runLanes } from '../../../jobs/run-lanes.ts'
import type { Loop } from '../../../loop.ts'
import { createLimits, type Limit } from '../../../requests/rolling-window.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { BotApiError } from '../bot-api/bot-api-error.ts'
import { type Bot, tokenOf } from '../bots/bot-rows.ts'
import { findMessage } from './chats.ts'
import { type FetchedFile, fetchFile } from './fetch-file.ts'
import {
  contentOf,
  fileIn,
  type IncomingFile,
  joined,
  type MessageContent,
  UNSUPPORTED,
} from './message-content.ts'
import { storeEdit } from './store-edit.ts'
import { storeMembership } from './store-membership.ts'
import { storeMessage } from './store-message.ts'
import { fieldOf, markProcessed, type Update, type UpdateOutcome } from './updates.ts'

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
/** Of a chat: as many as a visitor of the widget may send. */
const UPDATES_PER_MINUTE = 20
const UPDATES_PER_HOUR = 200
const FAILED = 'Bellhop could not process this update. The log says why.'

/** The chat of a bot. */
interface Chat {
  botId: string
  chatId: string
}

/** For how many ms a chat has to wait; undefined if it hasn't. */
type Wait = number | undefined

/**
 * Turns stored updates into messages, in order within each chat, including those from before a crash. An update that
 * fails delays only its own chat, and only for a short time.
 */
export function startProcessingUpdates(deps: Deps, api: BotApi): Loop {
  const limits = createLimits(deps.clock.monotonic)
  return runLanes(deps, {
    name: 'incoming telegram',
    tables: [telegramUpdates],
    atOnce: CHATS_AT_ONCE,
    failure: 'telegram_chat_failed',
    restAfterErrorMs: SERVER_FAULT_MS,
    async find(read, { limit, held }) {
      const chats = await findChats(read, { limit, held })
      // It ends with the bot, whose chats are the work of one node.
      return chats.map((chat) => ({ ...chat, id: `${chat.chatId}:${chat.botId}`, dueAt: 0 }))
    },
    run: (chat, signal) => processChat(deps, api, { chat, signal, take: () => limits.take(limitsOf(chat)) }),
  })
}

/** Someone who floods a bot must not delay other people's messages. Updates over the limit stay stored and wait. */
function limitsOf({ botId, chatId }: Chat): Limit[] {
  const key = `${botId}:${chatId}`
  return [
    { key, most: UPDATES_PER_MINUTE, in: 'minute' },
    { key, most: UPDATES_PER_HOUR, in: 'hour' },
  ]
}

/** Returns for how many ms the chat rests. `take` counts an update, or says how long the chat has to wait. */
async function processChat(
  deps: Deps,
  api: BotApi,
  { chat, take, signal }: { chat: Chat; take: () => Wait; signal: AbortSignal },
): Promise<number> {
  const { botId, chatId } = chat
  const [bot] = await deps.database.read.select().from(bots).where(eq(bots.id, botId))
  if (!bot) return 0
  while (!signal.aborted) {
    const pending = await findPending(deps.database.read, { botId, chatId, limit: SLICE })
    if (pending.length === 0) return 0
    for (const group of groupsOf(pending)) {
      const wait = waitOf(deps, group) ?? take()
      if (wait !== undefined) return wait
      try {
        await process(deps, api, { bot, group, signal })
      } catch (error) {
        if (signal.aborted) return 0
        if (error instanceof PartitionLost) throw error
        deps.log.error('telegram_update_failed', { updateId: group[0]?.id, error })
        await countFault(deps, group, error)
        break
      }
    }
  }
  return 0
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
    const earlier = album === null ? undefined : albums.get(album)
    if (earlier) earlier.push(update)
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
function waitOf({ clock }: Deps, group: Update[]): Wait {
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
      using files = await fetchFiles(deps, api, work, await newFilesOf(deps, bot, message))
      const edit = { bot, message, content, fetched: files.fetched }
      const outcome = await storeOnce(deps, work, (tx) => storeEdit(deps, tx, edit))
      // An edit of a message that was never received is a new message.
      if (!outcome) await processMessage(deps, api, work)
      return
    }
    case 'my_chat_member': {
      const member = memberIn(first)
      await storeOnce(deps, work, (tx) => storeMembership(deps, tx, { bot, member }))
      return
    }
    default:
      await processMessage(deps, api, work)
  }
}

/** Files are in the store before the message is, so that it is announced with them. */
async function processMessage(deps: Deps, api: BotApi, work: Work): Promise<void> {
  const { bot, group } = work
  const parts = group.map((update) => messageIn(update))
  const { content, isReadable } = contentOrNote(parts)
  const isWanted = parts[0]?.chat.type === 'private' && !(await areStored(deps, bot, parts))
  using files = await fetchFiles(deps, api, work, isWanted ? (content?.files ?? []) : [])
  const { fetched } = files
  await storeOnce(deps, work, async (tx) => {
    const outcome = await storeMessage(deps, tx, { bot, parts, content, fetched })
    return outcome.outcome === 'done' && !isReadable ? UNREADABLE : outcome
  })
}

/** The file of an edit, if it is another one than the message came with. */
async function newFilesOf(deps: Deps, bot: Bot, message: Message): Promise<IncomingFile[]> {
  const file = fileIn(message)
  const key = { chatId: String(message.chat.id), telegramMessageId: message.message_id }
  const before = file && (await findMessage(deps.database.read, bot, key))
  return file && before?.messageId && before.file !== file.uniqueId ? [file] : []
}

/** A message that is delivered twice isn't downloaded twice. */
async function areStored(deps: Deps, bot: Bot, parts: Message[]): Promise<boolean> {
  for (const { chat, message_id: telegramMessageId } of parts) {
    if (!(await findMessage(deps.database.read, bot, { chatId: String(chat.id), telegramMessageId })))
      return false
  }
  return true
}

/** Downloads files, and keeps them in the store at least until they are disposed of. */
async function fetchFiles(
  deps: Deps,
  api: BotApi,
  { bot, signal }: Work,
  files: IncomingFile[],
): Promise<Disposable & { fetched: FetchedFile[] }> {
  using kept = new DisposableStack()
  const fetched: FetchedFile[] = []
  for (const file of files) {
    const one = await fetchWithRetry(deps, api, { token: tokenOf(deps, bot), file, signal })
    if ('kept' in one) kept.use(one.kept)
    fetched.push(one)
  }
  const held = kept.move()
  return { fetched, [Symbol.dispose]: () => held.dispose() }
}

async function fetchWithRetry(
  deps: Deps,
  api: BotApi,
  download: Parameters<typeof fetchFile>[2],
): Promise<FetchedFile> {
  let fetched = await fetchFile(deps, api, download)
  for (let attempt = 1; attempt < DOWNLOAD_ATTEMPTS; attempt++) {
    if (!('missing' in fetched) || fetched.isFinal || fetched.retryAfterMs !== undefined) break
    fetched = await fetchFile(deps, api, download)
  }
  return fetched
}

/** Stores what an update changes, and that it is processed, in one unit. */
function storeOnce(
  deps: Deps,
  { group }: Work,
  store: (tx: Transaction) => Promise<UpdateOutcome | undefined>,
): Promise<UpdateOutcome | undefined> {
  return deps.database.write(group[0]?.orgId, async (tx) => {
    // Its customer may have been deleted since it was read.
    if (!(await isPending(tx, group[0]?.id ?? ''))) return GONE
    const outcome = await store(tx)
    if (outcome) await markProcessed(deps, tx, group, outcome)
    return outcome
  })
}

const UNREADABLE: UpdateOutcome = { outcome: 'failed', reason: 'The message has fields of unknown types.' }
const GONE: UpdateOutcome = { outcome: 'ignored', reason: 'It was deleted.' }

async function isPending(tx: Transaction, id: string): Promise<boolean> {
  const isIt = matches(telegramUpdates, { id, state: 'pending' })
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
  const message = fieldOf(raw, kind)
  if (!isMessage(message)) throw new UnreadableUpdate('The update has no readable message.')
  return message
}

function memberIn({ raw, kind }: Update): ChatMemberUpdated {
  const member = fieldOf(raw, kind)
  if (!isMembership(member)) throw new UnreadableUpdate('The update has no readable membership.')
  return member
}

/**
 * Checks the fields that all other code relies on. If others are wrong, reading them throws, and the update is put
 * aside.
 */
function isMessage(value: unknown): value is Message {
  const chat = fieldOf(value, 'chat')
  return (
    Number.isSafeInteger(fieldOf(value, 'message_id')) &&
    Number.isSafeInteger(fieldOf(chat, 'id')) &&
    typeof fieldOf(chat, 'type') === 'string'
  )
}

function isMembership(value: unknown): value is ChatMemberUpdated {
  const chat = fieldOf(value, 'chat')
  const status = fieldOf(fieldOf(value, 'new_chat_member'), 'status')
  return (
    Number.isSafeInteger(fieldOf(chat, 'id')) &&
    typeof fieldOf(chat, 'type') === 'string' &&
    typeof status === 'string'
  )
}

/** A fault of this server is not a fault of the update. */
async function countFault(deps: Deps, group: Update[], error: unknown): Promise<void> {
  const isOurs = (error instanceof AppError && error.status >= 500) || error instanceof BotApiError
  const now = deps.clock.now()
  const isLast = (update: Update) =>
    error instanceof UnreadableUpdate || (!isOurs && update.attempts + 1 >= MAX_ATTEMPTS)
  await deps.database.write(group[0]?.orgId, async (tx) => {
    for (const update of group) {
      if (isLast(update)) await markProcessed(deps, tx, [update], { outcome: 'failed', reason: FAILED })
      else {
        await tx
          .update(telegramUpdates)
          .set({
            attempts: isOurs ? update.attempts : update.attempts + 1,
            dueAt: now + (isOurs ? SERVER_FAULT_MS : RETRY_MS),
          })
          .where(matches(telegramUpdates, { id: update.id, state: 'pending' }))
      }
    }
  })
}

/** Runs at every commit, so it is planned once. */
const findChats = statement('telegram_pending_chats', { limit: integer, held: text }, (read: Reader, p) =>
  read
    .selectDistinct({ botId: telegramUpdates.botId, chatId: telegramUpdates.chatId })
    .from(telegramUpdates)
    // Literally the condition of the index: SQLite uses a partial index only then.
    .where(sql`state = 'pending' and ${isHeld(telegramUpdates.botId, p.held)}`)
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

import type { Message } from '@grammyjs/types'
import { eq, sql } from 'drizzle-orm'
import { attach, type ReceivedFile } from '../../../attachments/bindings.ts'
import type { Reader, Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { integer, statement, text } from '../../../database/statement.ts'
import { attachments } from '../../../database/tables/attachments.ts'
import { bots, telegramFiles } from '../../../database/tables/bots.ts'
import { type MessageChat, type MissingFile, messages } from '../../../database/tables/messages.ts'
import type { Deps } from '../../../deps.ts'
import { isHeld } from '../../../jobs/held.ts'
import { runLanes } from '../../../jobs/run-lanes.ts'
import type { Loop } from '../../../loop.ts'
import { recordTicketChange } from '../../../messages/sends/queries.ts'
import { lockTicket } from '../../../tickets/queries.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { type Bot, tokenOf } from '../bots/bot-rows.ts'
import { claimMessages, type TelegramMessage } from './chats.ts'
import { type FetchedFile, fetchFile } from './fetch-file.ts'
import type { UpdateOutcome } from './updates.ts'

/** After these pauses the download is tried again; then the failure stays. */
const RETRIES_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000]

/** What has arrived now. */
interface Arrived {
  bot: Bot
  parts: Message[]
  fetched: FetchedFile[]
}

type WaitingFile = typeof telegramFiles.$inferSelect

export function receivedOf(fetched: FetchedFile[]): ReceivedFile[] {
  return fetched.flatMap((one) => ('kept' in one ? [one.file] : []))
}

/** What the thread says about files that are not there. */
export function missingOf(fetched: FetchedFile[]): MissingFile[] {
  return fetched.flatMap((one) =>
    'missing' in one
      ? [{ name: one.missing.name, size: one.missing.size, reason: sentenceOf(one.reason, !one.isFinal) }]
      : [],
  )
}

/** Keeps files that could not be downloaded, to try again. */
export async function keepMissing(
  deps: Deps,
  tx: Transaction,
  { bot, fetched }: Pick<Arrived, 'bot' | 'fetched'>,
  { ticketId, messageId }: { ticketId: string; messageId: string },
): Promise<void> {
  const now = deps.clock.now()
  for (const [position, one] of fetched.entries()) {
    if (!('missing' in one) || one.isFinal) continue
    const { fileId, name, type, size } = one.missing
    await tx.insert(telegramFiles).values({
      id: deps.newId('tgf'),
      orgId: bot.orgId,
      ticketId,
      messageId,
      botId: bot.id,
      fileId,
      name,
      type,
      size,
      position,
      state: 'waiting',
      dueAt: now + (one.retryAfterMs ?? RETRIES_MS[0] ?? 0),
      error: one.reason,
      createdAt: now,
    })
  }
}

/** Parts of an album that came after the others were stored: their files join the message. */
export async function addLateParts(
  deps: Deps,
  tx: Transaction,
  { before, ...incoming }: Arrived & { before: TelegramMessage },
): Promise<UpdateOutcome> {
  const { bot, parts, fetched } = incoming
  const { orgId, ticketId, messageId } = before
  const claimed = await claimMessages(deps, tx, bot, parts, { ticketId, messageId })
  if (claimed.length === 0) return { outcome: 'ignored', reason: 'It was already delivered.' }
  if (ticketId === null || messageId === null)
    return { outcome: 'ignored', reason: 'Its ticket was deleted.' }
  const [ticket] = await lockTicket(tx, { orgId, id: ticketId })
  if (!ticket) return { outcome: 'ignored', reason: 'Its ticket was deleted.' }
  const message = { orgId, ticketId, messageId }
  await addFetched(deps, tx, { bot, fetched }, message)
  await recordTicketChange(deps, tx, message)
  return { outcome: 'done' }
}

/**
 * Adds files to a stored message, and records the missing ones. Its ticket is locked; the caller records the change.
 */
export async function addFetched(
  deps: Deps,
  tx: Transaction,
  arrived: Pick<Arrived, 'bot' | 'fetched'>,
  message: OfMessage,
): Promise<void> {
  await addFiles(deps, tx, message, receivedOf(arrived.fetched))
  await keepMissing(deps, tx, arrived, message)
  const missing = missingOf(arrived.fetched)
  if (missing.length > 0) await changeMissing(tx, message, (before) => [...before, ...missing])
}

/** Downloads what could not be downloaded when its message arrived, one file after the other. */
export function startFetchingFiles(deps: Deps, api: BotApi): Loop {
  return runLanes(deps, {
    name: 'telegram files',
    tables: [telegramFiles],
    atOnce: 1,
    failure: 'telegram_file_failed',
    find: findWaiting,
    async run(file, signal) {
      await retry(deps, api, file, signal)
      return 0
    },
  })
}

async function retry(deps: Deps, api: BotApi, file: WaitingFile, signal: AbortSignal): Promise<void> {
  const [bot] = await deps.database.read.select().from(bots).where(eq(bots.id, file.botId))
  const token = bot && tokenOf(deps, bot)
  const fetched = await fetchFile(deps, api, { token, file, signal })
  using _kept = 'kept' in fetched ? fetched.kept : undefined
  await deps.database.write(file.orgId, async (tx) => {
    const [ticket] = await lockTicket(tx, { orgId: file.orgId, id: file.ticketId })
    const isFile = matches(telegramFiles, { orgId: file.orgId, id: file.id })
    const [still] = await tx.select({ id: telegramFiles.id }).from(telegramFiles).where(isFile)
    if (!ticket || !still) return
    if ('kept' in fetched) {
      await tx.delete(telegramFiles).where(isFile)
      await addFiles(deps, tx, file, [{ ...fetched.file, position: file.position }])
      await changeMissing(tx, file, (before) => withoutFirst(before, file.name))
      return recordTicketChange(deps, tx, file)
    }
    const attempts = file.attempts + 1
    const pause = RETRIES_MS[attempts]
    const isOver = fetched.isFinal || pause === undefined
    await tx
      .update(telegramFiles)
      .set({
        attempts,
        error: fetched.reason,
        dueAt: deps.clock.now() + Math.max(pause ?? 0, fetched.retryAfterMs ?? 0),
        ...(isOver && { state: 'failed' as const }),
      })
      .where(isFile)
    if (!isOver) return
    const reason = sentenceOf(fetched.reason, false)
    await changeMissing(tx, file, (before) =>
      before.map((one) => (one.name === file.name ? { ...one, reason } : one)),
    )
    await recordTicketChange(deps, tx, file)
  })
}

type OfMessage = { orgId: string; ticketId: string; messageId: string }

/** Adds files to a stored message. Its ticket is locked. */
async function addFiles(
  deps: Deps,
  tx: Transaction,
  { orgId, ticketId, messageId }: OfMessage,
  received: ReceivedFile[],
): Promise<void> {
  if (received.length === 0) return
  const [before] = await tx
    .select({ count: sql<number>`count(*)` })
    .from(attachments)
    .where(matches(attachments, { orgId, ownerId: messageId }))
  const after = Number(before?.count ?? 0)
  const files = received.map((file, at) => ({ position: after + at, ...file }))
  await attach(deps, tx, orgId, { ownerId: messageId, ticketId, files: { received: files } })
  await tx
    .update(messages)
    .set({ attachmentCount: sql`${messages.attachmentCount} + ${received.length}` })
    .where(matches(messages, { orgId, id: messageId }))
}

async function changeMissing(
  tx: Transaction,
  { orgId, messageId }: OfMessage,
  change: (before: MissingFile[]) => MissingFile[],
): Promise<void> {
  const isMessage = matches(messages, { orgId, id: messageId })
  const [message] = await tx.select({ telegram: messages.telegram }).from(messages).where(isMessage)
  if (!message) return
  const { missingFiles = [], ...others } = message.telegram ?? {}
  const after = change(missingFiles)
  const telegram: MessageChat = { ...others, ...(after.length > 0 && { missingFiles: after }) }
  const isEmpty = Object.keys(telegram).length === 0
  await tx
    .update(messages)
    .set({ telegram: isEmpty ? null : telegram })
    .where(isMessage)
}

function withoutFirst(files: MissingFile[], name: string): MissingFile[] {
  const at = files.findIndex((file) => file.name === name)
  return at < 0 ? files : files.toSpliced(at, 1)
}

function sentenceOf(reason: string, isTriedAgain: boolean): string {
  return isTriedAgain ? `${reason} Bellhop tries again.` : reason
}

/** Runs at every commit, so it is planned once. */
const findWaiting = statement('telegram_files_waiting', { limit: integer, held: text }, (read: Reader, p) =>
  read
    .select()
    .from(telegramFiles)
    // Literally the condition of the index: SQLite uses a partial index only then.
    .where(sql`state = 'waiting' and ${isHeld(telegramFiles.id, p.held)}`)
    .orderBy(sql`${telegramFiles.dueAt}, ${telegramFiles.id} limit ${p.limit}`),
)

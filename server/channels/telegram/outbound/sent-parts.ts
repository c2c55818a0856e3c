import type { FrozenTelegram, TelegramPart } from '../../../database/tables/bots.ts'
import type { PossibleChanges, Send } from '../../channel.ts'
import { isByTelegram, type TelegramSend } from './plan-telegram.ts'

/** How long Telegram lets a bot delete what it sent. Changes of a text have no limit. */
export const MAX_DELETABLE_MS = 48 * 60 * 60_000

/** The parts of a message that the customer sees in Telegram. */
interface SentParts {
  parts: TelegramPart[]
  /** Telegram's ids of each part. */
  ids: number[][]
  /** Parts that a failed edit didn't delete. */
  left: number[]
}

/** As the newest send of a message left it. */
export function sentParts({ state, content }: Pick<TelegramSend, 'state' | 'content'>): SentParts {
  const { action, parts, done, targets = [], removed = [] } = content
  const isSent = state === 'sent'
  switch (action) {
    case 'send':
      return { parts: parts.slice(0, done.length), ids: done, left: [] }
    case 'edit':
      return { parts, ids: targets, left: isSent ? [] : removed }
    case 'delete':
      return isSent ? { parts: [], ids: [], left: [] } : { parts, ids: targets, left: [] }
  }
}

/** Everything of a message, deleted. */
export function deletionOf({
  parts,
  ids,
  left,
}: SentParts): Pick<FrozenTelegram, 'parts' | 'targets' | 'removed'> {
  return { parts, targets: ids, removed: [...ids.flat(), ...left] }
}

/** Whether no part of a message was tried yet, so that it can still be changed or canceled. */
export function isUntouched({ state, content }: Pick<TelegramSend, 'state' | 'content'>): boolean {
  const { action, done, unanswered } = content
  return state === 'waiting' && action === 'send' && done.length === 0 && unanswered === 0
}

/** What an agent can do with a message; `send` is its newest one. Undefined unless it was sent by Telegram. */
export function possibleChanges(
  send: Send | undefined,
  { sentAt, now }: { sentAt: number; now: number },
): PossibleChanges | undefined {
  if (!send || !isByTelegram(send)) return undefined
  if (isUntouched(send)) return { canEdit: true, canTakeBack: true }
  const isOver = send.state === 'sent' || send.state === 'failed'
  const { ids } = sentParts(send)
  const isWhole = send.content.action !== 'send' || send.state === 'sent'
  return {
    canEdit: isOver && isWhole && ids.length > 0,
    canTakeBack: isOver && ids.length > 0 && now - sentAt < MAX_DELETABLE_MS,
  }
}

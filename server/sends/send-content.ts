import type { FrozenEmail, FrozenTelegram } from '../database/tables/sends.ts'
import type { Send } from './queries.ts'

// What is sent is frozen in `content`, in the form of its channel.

export type EmailSend = Send & { channel: 'email'; messageId: string; content: FrozenEmail }
export type TelegramSend = Send & { channel: 'telegram'; content: FrozenTelegram }

export function isByEmail(send: Send): send is EmailSend {
  return send.channel === 'email'
}

export function isByTelegram(send: Send): send is TelegramSend {
  return send.channel === 'telegram'
}

/** Whom a send goes to: addresses, or the id of a chat. */
export function recipientsOf({ content }: Pick<Send, 'content'>): string[] {
  if ('chatId' in content) return [content.chatId]
  return [...content.to, ...content.cc].map(({ address }) => address)
}

/** Whether an agent takes a message back with it, after the customer got it. */
export function isDeletion({ content }: Pick<Send, 'content'>): boolean {
  return 'chatId' in content && content.action === 'delete'
}

import type { Conversation, MessageWithFiles } from '../conversations/read-conversations.ts'
import { viewConversation, viewMessage } from '../conversations/views.ts'

type Frame = Uint8Array

const encoder = new TextEncoder()

/** Keeps a proxy from closing an idle connection. */
export const VISITOR_HEARTBEAT: Frame = encoder.encode(': heartbeat\n\n')

export const VISITOR_BLOCKED: Frame = frame('blocked', {})

export const VISITOR_SIGNED_OUT: Frame = frame('signed_out', {})

/** Everything up to this event was sent. */
export function visitorHelloFrame(number: number): Frame {
  return frame('hello', { number })
}

/** Tells the page to read everything again. */
export function visitorResetFrame(number: number): Frame {
  return frame('reset', { number }, number)
}

/** A new or changed message. */
export function messageFrame(conversation: Conversation, message: MessageWithFiles, number: number): Frame {
  return frame(
    'message',
    { conversation: viewConversation(conversation), message: viewMessage(message) },
    number,
  )
}

/** A message that was taken back before the visitor saw it. */
export function removedFrame(conversation: Conversation, messageId: string, number: number): Frame {
  return frame('removed', { conversation: viewConversation(conversation), messageId }, number)
}

export function conversationFrame(conversation: Conversation, number: number): Frame {
  return frame('conversation', { conversation: viewConversation(conversation) }, number)
}

export function deletedFrame(conversationId: string, number: number): Frame {
  return frame('deleted', { conversationId }, number)
}

export function typingFrame(typing: { conversationId: string; agentName: string; isTyping: boolean }): Frame {
  return frame('typing', typing)
}

function frame(event: string, data: object, number?: number): Frame {
  const id = number === undefined ? '' : `id: ${number}\n`
  return encoder.encode(`${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}

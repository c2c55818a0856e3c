import { viewUpload } from '../../../attachments/views.ts'
import { isoTime, isoTimeOrNull } from '../../../dates.ts'
import { markdownToPageHtml, plainToPageHtml } from '../../../formatting/page-html.ts'
import { plainTextOf } from '../../../formatting/plain-text.ts'
import { cut } from '../../../text/text.ts'
import type { Conversation, MessageWithFiles } from './read-conversations.ts'

const MAX_PREVIEW_LENGTH = 160
/** Only the start of a message is read for its preview. */
const MAX_PREVIEWED_LENGTH = 1_000

export function viewConversation({
  ticketId,
  clientId,
  status,
  newest,
  unread,
  agentName,
  seenByAgentAt,
  createdAt,
}: Conversation) {
  return {
    id: ticketId,
    clientId,
    state: status === 'resolved' ? ('ended' as const) : ('open' as const),
    preview: newest ? { text: previewOf(newest), isMine: newest.role === 'customer' } : NO_PREVIEW,
    updatedAt: isoTime(newest?.createdAt ?? createdAt),
    unread,
    agent: agentName === null ? null : { name: agentName },
    agentSeenAt: isoTimeOrNull(seenByAgentAt),
  }
}

export function viewMessage(message: MessageWithFiles) {
  const { id, clientId, ticketId, role, agentName, isAutomatic, isEmailed, isRemoved } = message
  const isOfAgent = role === 'agent'
  const from = isOfAgent ? (isAutomatic ? ('system' as const) : ('agent' as const)) : ('visitor' as const)
  return {
    id,
    clientId,
    conversationId: ticketId,
    from,
    agentName: isOfAgent ? agentName : null,
    ...(isRemoved ? NOTHING : shownOf(message)),
    createdAt: isoTime(message.createdAt),
    isEmailed,
    ...(isRemoved && { isRemoved }),
  }
}

/** An agent took it back after the visitor had seen it. */
const NOTHING = { text: '', html: null, attachments: [] }

function shownOf({ role, text, format, attachments }: MessageWithFiles) {
  const files = attachments.map(viewUpload)
  if (role !== 'agent') return { text, html: null, attachments: files }
  const html = format === 'markdown' ? markdownToPageHtml(text) : plainToPageHtml(text)
  return { text: plainTextOf({ text, format }, 'text'), html, attachments: files }
}

const NO_PREVIEW = { text: '', isMine: false }

function previewOf({ text, format, attachments, isRemoved }: MessageWithFiles): string {
  if (isRemoved) return ''
  const start = plainTextOf({ text: text.slice(0, MAX_PREVIEWED_LENGTH), format }, 'text')
  const line = start.replaceAll(/\s+/g, ' ').trim()
  if (line === '') return attachments[0]?.name ?? ''
  return cut(line, MAX_PREVIEW_LENGTH)
}

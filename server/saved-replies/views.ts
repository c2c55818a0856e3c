import { viewAttachments, viewInboxAttachments } from '../attachments/views.ts'
import { isoTime } from '../dates.ts'
import type { SavedReply } from './saved-replies.ts'

/** As the agent sees it. */
export function viewSavedReply(reply: SavedReply, me: string) {
  const { id, name, text, isShared, agentId, actions, uses, updatedAt } = reply
  return {
    id,
    name,
    text,
    isShared,
    isMine: agentId === me,
    ...(actions && { actions }),
    ...viewInboxAttachments(reply.attachments),
    uses,
    updatedAt: isoTime(updatedAt),
  }
}

/** As `/v1` shows it. */
export function viewV1SavedReply({ id, name, text, actions, attachments, updatedAt }: SavedReply) {
  return {
    id,
    name,
    text,
    ...(actions && { actions }),
    attachments: viewAttachments(attachments),
    updatedAt: isoTime(updatedAt),
  }
}

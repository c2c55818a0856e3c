import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import type { SavedReply } from '../../api/workspace.ts'
import { toastError } from '../../ui/toaster.tsx'
import type { Actions } from '../changes/actions.ts'
import { changeTickets } from '../changes/change-ticket.ts'
import type { DraftAttachment } from '../draft/draft-content.ts'

/** What is done when a reply is sent, and how to change that. */
export interface ReplyActions {
  now: Actions | undefined
  change: (actions: Actions) => void
}

interface Using {
  /** Empty for a ticket that isn't open yet. */
  ticketId: string
  attach: (file: DraftAttachment) => void
  /** Undefined for a text that isn't a reply. */
  actions?: ReplyActions | undefined
}

/**
 * What a saved reply does beside its text: adds its files to the draft, and its actions to those of the reply. One with
 * actions alone is applied to the ticket at once, with an Undo.
 */
export async function applySavedReply(
  reply: SavedReply,
  { ticketId, attach, actions }: Using,
): Promise<void> {
  const { id, name, text, actions: does, attachments = [] } = reply
  const isDoneAtOnce = text.trim() === '' && attachments.length === 0
  if (does && isDoneAtOnce && ticketId !== '') void changeTickets([ticketId], does, { done: name })
  else if (does) actions?.change(joinedActions(actions.now, does))
  try {
    const used = await ask(api.console['saved-replies']({ id }).use.post())
    for (const file of used.attachments ?? []) attach({ ...file, addedAt: Date.now() })
    void queries.invalidateQueries({ queryKey: queryKeys.savedReplies })
  } catch (error) {
    if (attachments.length > 0) toastError(`Couldn't add the files of “${name}”. ${errorMessage(error)}`)
  }
}

function joinedActions(before: Actions = {}, more: Actions): Actions {
  const addTags = [...new Set([...(before.addTags ?? []), ...(more.addTags ?? [])])]
  const removeTags = [...new Set([...(before.removeTags ?? []), ...(more.removeTags ?? [])])]
  return {
    ...before,
    ...more,
    ...(addTags.length > 0 && { addTags }),
    ...(removeTags.length > 0 && { removeTags }),
  }
}

import { isSameRecipients } from '../recipients/address-list.ts'
import {
  contentIn,
  type DraftContent,
  hasFilesOf,
  isBlank,
  isSameContent,
  joined,
  without,
} from './draft-content.ts'
import {
  changed,
  type DraftState,
  EMPTY_DRAFT,
  returned,
  type Sending,
  type SendRequest,
  type Step,
  stored,
  withEffect,
} from './draft-state.ts'

// Sending a draft, and its text back in the field.

/** The server accepts ids created within a day. No request runs this long, so a new id is safe. */
const ID_USABLE_MS = 12 * 60 * 60_000

type Press = SendRequest & { now: number }

/** Sends, or waits for the uploads. */
export function pressSend(
  state: DraftState,
  { isUploading, now, id, after, status, sentTo, undoMs }: Press & { isUploading: boolean },
): Step {
  const request = { id, after, status, undoMs, ...(sentTo && { sentTo }) }
  if (!isUploading) return startSending(state, { ...request, now })
  if (state.sending?.isOut) return { state, effects: [] }
  return { state: { ...state, sendsAfterUploads: request }, effects: [] }
}

export function endUploads(
  before: DraftState,
  { isComplete, now }: { isComplete: boolean; now: number },
): Step {
  const { sendsAfterUploads: request, ...rest } = before
  const state = { ...rest, sendsAfterUploads: null }
  if (!request) return { state, effects: [] }
  if (!isComplete) return { state, effects: [{ type: 'notify', notice: 'upload failed' }] }
  return startSending(state, { ...request, now })
}

function startSending(state: DraftState, { id, after, status, sentTo, undoMs, now }: Press): Step {
  if (isBlank(state) || state.sending?.isOut) return { state, effects: [] }
  const earlier = state.sending && now - state.sending.at < ID_USABLE_MS ? state.sending : undefined
  const sending: Sending = {
    id: earlier?.id ?? id,
    ...contentIn(state),
    after: earlier?.after ?? after,
    status,
    ...(sentTo && { sentTo }),
    undoMs,
    at: earlier?.at ?? now,
    isOut: true,
    wasReturned: earlier !== undefined,
    isChanged:
      earlier !== undefined &&
      (earlier.isChanged ||
        !isSameContent(earlier, state) ||
        !isSameRecipients(earlier.sentTo, sentTo) ||
        earlier.status !== status),
  }
  const emptied = { text: '', attachments: [], recipients: undefined, sendsAfterUploads: null }
  const next = { ...state, ...emptied, sending, isSender: true, isSendLate: false, isSaveLate: false }
  if (state.isSaving) return stored({ ...next, sendsAfterSave: true })
  const step = stored(next)
  return { state: step.state, effects: [...step.effects, { type: 'send', sending }] }
}

/** The server accepted it, and deleted its copy of the draft if that had the same text and no more files. */
export function finishSending(state: DraftState): Step {
  const { sending, saved } = state
  if (!sending) return { state: endSending(state), effects: [] }
  const text = sending.isOut ? state.text : state.text.slice(sending.text.length).trimStart()
  const attachments = without(state.attachments, sending.attachments)
  const isSameText = saved?.text.trim() === sending.text.trim()
  const isEnded = !sending.wasReturned && isSameText && hasFilesOf(sending, saved)
  const ended = isEnded ? { text: '', attachments: [], savedAt: saved.savedAt } : saved
  const step = stored({ ...endSending(state), text, attachments, saved: ended, sending: null })
  return state.isSender ? withEffect({ type: 'accepted', id: sending.id }, step) : step
}

export function refuse(
  state: DraftState,
  { reason, now }: { reason: 'id taken' | 'other'; now: number },
): Step {
  if (!state.sending) return { state: endSending(state), effects: [] }
  if (reason === 'other') return intoField(state, now)
  // The server already has this id: with this content if every request had it, otherwise with an earlier one, which the agent must know.
  if (!state.sending.isChanged) return finishSending(state)
  const step = intoField(state, now)
  const next = stored({ ...step.state, sending: null })
  return withEffect({ type: 'notify', notice: 'earlier one differs' }, next)
}

export function endSending(state: DraftState): DraftState {
  return { ...state, isSender: false, isSendLate: false, sendsAfterSave: false }
}

/** Puts what is being sent back into the field, before what was typed since. Keeps its id, because the server may have it. */
export function intoField(state: DraftState, now: number): Step {
  if (!state.sending?.isOut) return { state: endSending(state), effects: [] }
  const content = joined(state.sending, state)
  return changed({ ...endSending(state), sending: returned(state.sending) }, content, now)
}

export function putBack(
  state: DraftState,
  { sending, now, ...content }: DraftContent & { sending: Sending | null; now: number },
): Step {
  return changed({ ...state, sending: sending && returned(sending) }, joined(content, state), now)
}

export function takeBack(
  state: DraftState,
  { isSaved, now, ...content }: DraftContent & { isSaved: boolean; now: number },
): Step {
  const { saved } = state
  const onServer = { ...joined(content, saved ?? EMPTY_DRAFT), savedAt: saved?.savedAt ?? '' }
  return changed({ ...state, saved: isSaved ? onServer : saved }, joined(content, state), now)
}

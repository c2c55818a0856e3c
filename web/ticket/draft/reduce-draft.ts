import { type DraftAttachment, withFile, withoutFile } from './draft-content.ts'
import { afterFailedSave, afterSave, dropFiles, saveOf, startSave } from './draft-saving.ts'
import {
  endSending,
  endUploads,
  finishSending,
  intoField,
  pressSend,
  putBack,
  refuse,
  takeBack,
} from './draft-sending.ts'
import {
  changed,
  type DraftEffect,
  type DraftEvent,
  type DraftState,
  EMPTY_DRAFT,
  FIRST_RETRY_MS,
  isUndecided,
  isUnsaved,
  openDraft,
  type Step,
  stored,
  withEffect,
  withUnconfirmedText,
} from './draft-state.ts'
import { dropOther, meetOtherTab, meetServer, useOther } from './draft-versions.ts'

/**
 * The life of a draft as one pure function: from a state and an event to the next state and its effects. It reads no clock,
 * network, or storage. `drafts.ts` runs the effects.
 */
export function reduceDraft(state: DraftState, event: DraftEvent): Step {
  switch (event.type) {
    case 'typed':
      return changed({ ...state, isForgotten: false, typedAt: event.now }, { text: event.text }, event.now)
    case 'recipients changed':
      return changed(state, { recipients: event.recipients }, event.now)
    case 'file attached':
      return attach({ ...state, isForgotten: false }, event)
    case 'file removed':
      return changed(state, withoutFile(state, event.id), event.now)
    case 'opened':
      return { state: { ...state, isShown: false, isTyped: state.isTyped && isUnsaved(state) }, effects: [] }
    case 'save due':
      return startSave(state)
    case 'saved':
      return afterSave(state, event)
    case 'save failed':
      return event.reason === 'files gone'
        ? dropFiles(state, event.ids)
        : afterFailedSave(state, event.reason)
    case 'connection back': {
      const next = { ...state, retryMs: FIRST_RETRY_MS }
      // Also the first connection of a page, which looks first for what an earlier one was sending.
      const isLookedFor = state.sending?.isOut === false && !state.isShown
      return isLookedFor ? { state: next, effects: [] } : startSave(next)
    }
    case 'other tab wrote':
      return meetOtherTab(state, event)
    case 'server copy read':
      return meetServer(state, event)
    case 'other version used':
      return useOther(state, event.now)
    case 'other version dropped':
      return dropOther(state)
    case 'send pressed':
      return pressSend(state, event)
    case 'uploads ended':
      return endUploads(state, event)
    case 'send cancelled':
      return { state: { ...state, sendsAfterUploads: null }, effects: [] }
    case 'send delayed':
      return { state: { ...state, isSendLate: state.isSender }, effects: [] }
    case 'sent':
      return finishSending(state)
    case 'send refused':
      return refuse(state, event)
    case 'unsent edited':
      return withEffect({ type: 'stop sending' }, intoField(state, event.now))
    case 'unsent discarded':
      return withEffect({ type: 'stop sending' }, stored({ ...endSending(state), sending: null }))
    case 'put back':
      return putBack(state, event)
    case 'taken back':
      return takeBack(state, event)
    case 'page closing':
      return close(state)
    case 'ticket deleted': {
      const withoutCopy = { ...state, saved: null, isTicketDeleted: true, isForgotten: false }
      return changed(withoutCopy, { text: event.text }, event.now)
    }
    case 'forgotten':
      return {
        state: { ...openDraft(EMPTY_DRAFT), isForgotten: true },
        effects: [{ type: 'stop sending' }, { type: 'forget' }],
      }
  }
}

/** Puts an uploaded file at its place among the others, or one that was removed back there. */
function attach(state: DraftState, { file, now }: { file: DraftAttachment; now: number }): Step {
  return changed(state, { attachments: withFile(state.attachments, file) }, now)
}

function close(state: DraftState): Step {
  if (state.isForgotten) return { state, effects: [] }
  const effects: DraftEffect[] = state.isSender ? [{ type: 'store', draft: withUnconfirmedText(state) }] : []
  if (isUnsaved(state) && !isUndecided(state)) effects.push(saveOf(state, true))
  return { state, effects }
}

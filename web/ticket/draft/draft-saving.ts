import { contentIn, isBlank, without } from './draft-content.ts'
import {
  type DraftEffect,
  type DraftState,
  FIRST_RETRY_MS,
  isUndecided,
  isUnsaved,
  type SavedDraft,
  type SaveFailure,
  type Step,
  type StoredDraft,
  stored,
  withEffect,
} from './draft-state.ts'

// Saving a draft on the server.

const MAX_RETRY_MS = 10_000

export function startSave(state: DraftState): Step {
  if (state.isSaving || state.isForgotten || !isUnsaved(state) || isUndecided(state))
    return { state, effects: [] }
  return { state: { ...state, isSaving: true }, effects: [saveOf(state, false)] }
}

export function saveOf(draft: StoredDraft, isClosing: boolean): DraftEffect {
  return { type: 'save', ...contentIn(draft), base: draft.saved?.savedAt || null, isClosing }
}

export function afterSave(state: DraftState, { savedAt, ...draft }: SavedDraft): Step {
  const content = contentIn(draft)
  const copy = { ...content, text: isBlank(content) ? '' : content.text, savedAt }
  const saved = state.isTicketDeleted ? null : copy
  const step = stored({ ...state, saved, isSaving: false, isSaveLate: false, retryMs: FIRST_RETRY_MS })
  return afterSaving(step)
}

/** Saves again without the files that were sent from another tab, or deleted because the server waited for them too long. */
export function dropFiles(state: DraftState, ids: string[]): Step {
  const gone = state.attachments.filter(({ id }) => ids.includes(id))
  // Otherwise the server would refuse the same files again.
  if (gone.length === 0) return afterFailedSave(state, 'refused')
  const next = { ...state, isSaving: false, attachments: without(state.attachments, gone) }
  const report: DraftEffect = { type: 'report gone files', names: gone.map(({ name }) => name) }
  return afterSaving(withEffect(report, stored(next)))
}

export function afterFailedSave(state: DraftState, reason: SaveFailure): Step {
  const next = { ...state, isSaving: false }
  switch (reason) {
    case 'changed elsewhere':
      return afterSaving({ state: next, effects: [{ type: 'read', isAnnounced: false }] })
    case 'ticket deleted':
      return afterSaving({ state: next, effects: [{ type: 'offer lost text', text: state.text }] })
    case 'refused':
      // The server would reject the same content again.
      return afterSaving({ state: next, effects: [] })
    case 'unreachable':
      return afterSaving({
        state: {
          ...next,
          // The response may be late, and must not delay what was sent since.
          isSaveLate: isUnsaved(state),
          retryMs: Math.min(state.retryMs * 2, MAX_RETRY_MS),
        },
        effects: [{ type: 'save later', ms: state.retryMs }],
      })
  }
}

/** What waited for the end of the save: reading, or sending. */
function afterSaving(step: Step): Step {
  if (!step.state.readsAfterSave) return thenSend(step)
  const read: DraftEffect = { type: 'read', isAnnounced: false }
  return thenSend(withEffect(read, { ...step, state: { ...step.state, readsAfterSave: false } }))
}

function thenSend({ state, effects }: Step): Step {
  if (!state.sendsAfterSave || !state.sending) return { state, effects }
  return {
    state: { ...state, sendsAfterSave: false },
    effects: [...effects, { type: 'send', sending: state.sending }],
  }
}

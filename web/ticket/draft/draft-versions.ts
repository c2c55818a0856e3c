import type { Draft } from '../ticket-query.ts'
import {
  contains,
  contentIn,
  type DraftContent,
  hasFilesOf,
  isBlank,
  isSameContent,
} from './draft-content.ts'
import { finishSending } from './draft-sending.ts'
import {
  changed,
  type DraftState,
  EMPTY_DRAFT,
  isUndecided,
  isUnsaved,
  SAVE_AFTER_MS,
  type Step,
  type StoredDraft,
  stored,
  withEffect,
} from './draft-state.ts'

// Which version of a draft is kept, when another tab or the server has a different one.

/** After this long without typing, an agent isn't in the middle of a word. */
const STILL_TYPING_MS = 2_000
export function meetOtherTab(
  state: DraftState,
  { draft: theirs, hasFocus, now }: { draft: StoredDraft; hasFocus: boolean; now: number },
): Step {
  // The tab that sends has the newest state.
  if (state.isSender) return { state, effects: [] }
  const isTyping = hasFocus && now - state.typedAt < STILL_TYPING_MS
  const isLosing = isUnsaved(state) && !contains(theirs, state)
  const isAtWork = state.isTyped && !isBlank(state) && (isTyping || isLosing)
  const isSame = isSameContent(theirs, state)
  if (isSame || isAtWork) {
    const other = isSame || isBlank(theirs) ? state.other : theirs
    return { state: { ...state, sending: theirs.sending, other }, effects: [] }
  }
  const next = { ...state, ...theirs, isTyped: false }
  const isOffered = isUndecided(next) && next.other !== null && !isSameContent(next.other, theirs)
  return { state: { ...next, other: isOffered ? next.other : null }, effects: [] }
}

interface ServerCopy {
  draft: Draft | null
  hasSent: boolean
  isFresh?: boolean
  isAnnounced?: boolean
}

export function meetServer(before: DraftState, { draft, hasSent, isFresh, isAnnounced }: ServerCopy): Step {
  if (before.sending && hasSent) {
    if (before.isSender) return finishSending(before)
    if (!before.sending.isOut && isUnchanged(before)) {
      if (before.isSaving) return { state: { ...before, readsAfterSave: true }, effects: [] }
      const known = withReturnedCopy(before, draft)
      return withEffect({ type: 'notify', notice: 'earlier one sent' }, finishSending(known))
    }
  }
  if (before.sending?.isOut) return { state: before, effects: [] }
  const wasShown = before.isShown
  const other = !draft && isUndecided(before) ? null : before.other
  const state = { ...before, isShown: true, other }
  if (draft) return meetVersion(state, draft)
  if (isUnsaved(state)) return { state, effects: [{ type: 'save later', ms: SAVE_AFTER_MS }] }
  if (isBlank(state)) return { state, effects: [] }
  // The server's copy is gone: it was sent or cleared elsewhere. What was read may be older than the last save.
  if (!isFresh) return { state, effects: [{ type: 'read', isAnnounced: wasShown }] }
  const emptied = stored({ ...state, ...EMPTY_DRAFT, other: null, isTyped: false })
  return isAnnounced ? withEffect({ type: 'notify', notice: 'emptied elsewhere' }, emptied) : emptied
}

/** The returned text may be on the server without this page knowing, saved by one that was closed before the answer. */
function withReturnedCopy(state: DraftState, draft: Draft | null): DraftState {
  const { sending, saved } = state
  if (!draft || !sending || draft.savedAt <= (saved?.savedAt ?? '')) return state
  const content = contentOf(draft)
  const isReturned = [sending, state].some(
    (one) => one.text.trim() === content.text.trim() && hasFilesOf(one, content),
  )
  return isReturned ? { ...state, saved: { ...content, savedAt: draft.savedAt } } : state
}

/** Handles the server's version: ignores an older one, takes it over, keeps one continued here, or offers it. */
function meetVersion(state: DraftState, draft: Draft): Step {
  const { saved, changedAt, isTyped, sending } = state
  const content = contentOf(draft)
  const theirs: StoredDraft = {
    ...content,
    changedAt: Date.parse(draft.savedAt),
    saved: { ...content, savedAt: draft.savedAt },
    sending,
  }
  const isDirty = isUnsaved(state)
  if (saved && draft.savedAt <= saved.savedAt) return saveIfUnsaved(state)
  if (!isDirty && !isTyped) return stored({ ...state, ...theirs, other: null })
  const isContinued =
    isDirty && (contains(state, content) || (saved !== null && isSameContent(content, saved)))
  if (isSameContent(state, content) || isContinued) return stored({ ...state, saved: theirs.saved })
  // Text being typed stays. Text not touched here for a while is replaced.
  if (isTyped || changedAt >= theirs.changedAt) return { state: { ...state, other: theirs }, effects: [] }
  return stored({ ...state, ...theirs, other: { ...contentIn(state), changedAt, saved, sending } })
}

function saveIfUnsaved(state: DraftState): Step {
  const isDue = isUnsaved(state) && !isUndecided(state)
  return { state, effects: isDue ? [{ type: 'save later', ms: SAVE_AFTER_MS }] : [] }
}

export function useOther(state: DraftState, now: number): Step {
  if (!state.other) return { state, effects: [] }
  const { text, attachments, recipients, saved } = state.other
  const content = { text, attachments, recipients }
  return changed({ ...state, saved: saved ?? state.saved, other: null }, content, now)
}

/** Keeps this version and saves it over the offered one. */
export function dropOther(state: DraftState): Step {
  const saved = isUndecided(state) ? (state.other?.saved ?? null) : state.saved
  return stored({ ...state, saved, other: null })
}

function isUnchanged(state: DraftState): boolean {
  const { text, sending } = state
  return isBlank(state) || (sending !== null && text.startsWith(sending.text) && hasFilesOf(state, sending))
}

/** The server's version as the page keeps it. */
function contentOf({ text, attachments = [], recipients }: Draft): DraftContent {
  return contentIn({ text, attachments, recipients })
}

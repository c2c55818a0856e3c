import type { Draft, TicketStatus } from '../ticket-query.ts'

// What happens to a draft, as one pure function: an event goes in, the next state and its effects come out. Nothing here
// reads a clock, a network or a store. `drafts.ts` carries the effects out.

export type DraftKind = Draft['kind']

/** A version of the draft on the server; blank when the server has none. `savedAt` tells versions apart. */
interface SavedDraft {
  text: string
  savedAt: string
}

/** A message or note between Send and the answer of the server. */
export interface Sending {
  /** Made here. Sending the same id again never makes a second message. */
  id: string
  text: string
  /** Reply only: the newest message the agent had seen. */
  after: string
  /** Reply only: the status the ticket gets with it. */
  status?: TicketStatus | undefined
  /** When it was sent first, by this browser's clock. */
  at: number
  /** Removed from the field. False when the text is back in the field and it is unknown whether the server has it. */
  isOut: boolean
  /** It was back in the field once, and may have been saved as a draft again after the server had it. */
  wasReturned: boolean
  /** An earlier try under this id had another text. */
  isChanged: boolean
}

/** What this browser stores of a draft. */
export interface StoredDraft {
  text: string
  /** When it was typed, by this browser's clock. */
  changedAt: number
  saved: SavedDraft | null
  sending: Sending | null
}

export interface DraftState extends StoredDraft {
  /** Another version, from another tab or device, which the agent can choose. */
  other: StoredDraft | null
  /** Typed in this tab since the page was loaded. */
  isTyped: boolean
  typedAt: number
  /** Seen by the agent since the ticket was opened. */
  isShown: boolean
  /** This tab is sending it; other tabs only see that it is on its way. */
  isSender: boolean
  /** The server was not reached at the last try to send. */
  isSendLate: boolean
  /** The last save failed and is repeated. */
  isSaveLate: boolean
  isSaving: boolean
  /** Sends when the running save has ended, so that no older text arrives after it. */
  sendsAfterSave: boolean
  retryMs: number
  /** The ticket is deleted: nothing is stored until something is typed. */
  isForgotten: boolean
}

export type DraftEvent =
  | { type: 'typed'; text: string; now: number }
  | { type: 'opened' }
  | { type: 'save due' }
  | { type: 'saved'; text: string; savedAt: string }
  | { type: 'save failed'; reason: 'unreachable' | 'refused' | 'changed elsewhere' | 'ticket deleted' }
  | { type: 'connection back' }
  | { type: 'other tab wrote'; draft: StoredDraft; hasFocus: boolean; now: number }
  /** `isFresh`: read now, to confirm what an older answer said. `hasSent`: the thread has what is being sent. */
  | {
      type: 'server copy read'
      draft: Draft | null
      hasSent: boolean
      isFresh?: boolean
      isAnnounced?: boolean
    }
  | { type: 'other version used'; now: number }
  | { type: 'other version dropped' }
  | { type: 'send pressed'; id: string; after: string; status?: TicketStatus | undefined; now: number }
  | { type: 'send delayed' }
  | { type: 'sent' }
  | { type: 'send refused'; reason: 'id taken' | 'other'; now: number }
  | { type: 'unsent edited'; now: number }
  | { type: 'unsent discarded' }
  | { type: 'put back'; text: string; sending: Sending | null; now: number }
  /** A waiting message was deleted on the server; `isSaved` when the server has put it into this draft. */
  | { type: 'taken back'; text: string; isSaved: boolean; now: number }
  | { type: 'page closing' }
  | { type: 'forgotten' }

export type DraftEffect =
  | { type: 'store'; draft: StoredDraft }
  | { type: 'forget' }
  | { type: 'save later'; ms: number }
  | { type: 'save'; text: string; base: string | null; isClosing: boolean }
  | { type: 'read'; isAnnounced: boolean }
  | { type: 'send'; sending: Sending }
  | { type: 'stop sending' }
  /** What this tab has sent is on the server. */
  | { type: 'accepted'; id: string }
  | { type: 'notify'; notice: 'emptied elsewhere' | 'earlier one sent' | 'earlier one differs' }
  | { type: 'offer lost text'; text: string }

interface Step {
  state: DraftState
  effects: DraftEffect[]
}

/** What is typed is on the server within half a second. */
const SAVE_AFTER_MS = 350
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 10_000
/** An agent who has typed nothing for this long is not in the middle of a word. */
const STILL_TYPING_MS = 2_000
/** The server takes ids made within a day. Nothing under way lives this long, so a new id is safe. */
const ID_USABLE_MS = 12 * 60 * 60_000

export const EMPTY_DRAFT: StoredDraft = { text: '', changedAt: 0, saved: null, sending: null }

/** A stored draft as a tab opens it. */
export function openDraft(stored: StoredDraft): DraftState {
  return {
    ...stored,
    other: null,
    isTyped: false,
    typedAt: Number.NEGATIVE_INFINITY,
    isShown: false,
    isSender: false,
    isSendLate: false,
    isSaveLate: false,
    isSaving: false,
    sendsAfterSave: false,
    retryMs: FIRST_RETRY_MS,
    isForgotten: false,
  }
}

export function reduceDraft(state: DraftState, event: DraftEvent): Step {
  switch (event.type) {
    case 'typed':
      return changed({ ...state, isForgotten: false, typedAt: event.now }, event.text, event.now)
    case 'opened':
      return { state: { ...state, isShown: false, isTyped: state.isTyped && isUnsaved(state) }, effects: [] }
    case 'save due':
      return startSave(state)
    case 'saved':
      return afterSave(state, event)
    case 'save failed':
      return afterFailedSave(state, event.reason)
    case 'connection back':
      return startSave({ ...state, retryMs: FIRST_RETRY_MS })
    case 'other tab wrote':
      return meetOtherTab(state, event)
    case 'server copy read':
      return meetServer(state, event)
    case 'other version used':
      return useOther(state, event.now)
    case 'other version dropped':
      return dropOther(state)
    case 'send pressed':
      return startSending(state, event)
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
    case 'forgotten':
      return {
        state: { ...openDraft(EMPTY_DRAFT), isForgotten: true },
        effects: [{ type: 'stop sending' }, { type: 'forget' }],
      }
  }
}

export function isBlank({ text }: Pick<StoredDraft, 'text'>): boolean {
  return text.trim() === ''
}

/** The server does not have it as it is here. What is being sent is not in the field, and its copy there stays until then. */
export function isUnsaved({ text, saved, sending }: StoredDraft): boolean {
  if (!isBlank({ text })) return text !== saved?.text
  return !sending?.isOut && saved !== null && !isBlank(saved)
}

/** A newer version on the server is offered: until the agent has chosen, nothing is saved over it. */
export function isUndecided({ other, saved }: DraftState): boolean {
  return (other?.saved?.savedAt ?? '') > (saved?.savedAt ?? '')
}

/** The draft with what is being sent back in the field: for the next page, which does not know what came of it. */
export function landed(draft: StoredDraft): StoredDraft {
  const { text, changedAt, saved, sending } = draft
  if (!sending?.isOut) return { text, changedAt, saved, sending }
  return { changedAt, saved, text: joined(sending.text, text), sending: returned(sending) }
}

function returned(sending: Sending): Sending {
  return { ...sending, isOut: false, wasReturned: true }
}

/** What was written first, and what has been written since. */
function joined(text: string, since: string): string {
  return isBlank({ text: since }) || since === text ? text : `${text}\n\n${since}`
}

/** Stored in this browser, and saved on the server where it has something else. */
function stored(state: DraftState): Step {
  const { text, changedAt, saved, sending } = state
  const next = { ...state, isSaveLate: state.isSaveLate && isUnsaved(state) }
  const effects: DraftEffect[] = []
  if (!state.isForgotten) effects.push({ type: 'store', draft: { text, changedAt, saved, sending } })
  if (isUnsaved(state) && !isUndecided(state)) effects.push({ type: 'save later', ms: SAVE_AFTER_MS })
  return { state: next, effects }
}

function changed(state: DraftState, text: string, now: number): Step {
  return stored({ ...state, text, changedAt: now, isTyped: true })
}

function withEffect(effect: DraftEffect, { state, effects }: Step): Step {
  return { state, effects: [effect, ...effects] }
}

function startSave(state: DraftState): Step {
  if (state.isSaving || state.isForgotten || !isUnsaved(state) || isUndecided(state))
    return { state, effects: [] }
  return { state: { ...state, isSaving: true }, effects: [saveOf(state, false)] }
}

function saveOf({ text, saved }: StoredDraft, isClosing: boolean): DraftEffect {
  return { type: 'save', text, base: saved?.savedAt || null, isClosing }
}

function afterSave(state: DraftState, { text, savedAt }: { text: string; savedAt: string }): Step {
  const saved = { text: isBlank({ text }) ? '' : text, savedAt }
  const step = stored({ ...state, saved, isSaving: false, isSaveLate: false, retryMs: FIRST_RETRY_MS })
  return thenSend(step)
}

function afterFailedSave(
  state: DraftState,
  reason: 'unreachable' | 'refused' | 'changed elsewhere' | 'ticket deleted',
): Step {
  const next = { ...state, isSaving: false }
  switch (reason) {
    case 'changed elsewhere':
      return thenSend({ state: next, effects: [{ type: 'read', isAnnounced: false }] })
    case 'ticket deleted':
      return thenSend({ state: next, effects: [{ type: 'offer lost text', text: state.text }] })
    case 'refused':
      // The same text would be refused again.
      return thenSend({ state: next, effects: [] })
    case 'unreachable':
      return thenSend({
        state: {
          ...next,
          // The answer may come late: what has been sent since is not kept waiting.
          isSaveLate: isUnsaved(state),
          retryMs: Math.min(state.retryMs * 2, LONGEST_RETRY_MS),
        },
        effects: [{ type: 'save later', ms: state.retryMs }],
      })
  }
}

function thenSend({ state, effects }: Step): Step {
  if (!state.sendsAfterSave || !state.sending) return { state, effects }
  return {
    state: { ...state, sendsAfterSave: false },
    effects: [...effects, { type: 'send', sending: state.sending }],
  }
}

function meetOtherTab(
  state: DraftState,
  { draft: theirs, hasFocus, now }: { draft: StoredDraft; hasFocus: boolean; now: number },
): Step {
  // The tab that sends knows best.
  if (state.isSender) return { state, effects: [] }
  const isTyping = hasFocus && now - state.typedAt < STILL_TYPING_MS
  const isLosing = isUnsaved(state) && !theirs.text.includes(state.text)
  const isAtWork = state.isTyped && !isBlank(state) && (isTyping || isLosing)
  const isSame = theirs.text === state.text
  if (isSame || isAtWork) {
    const other = isSame || isBlank(theirs) ? state.other : theirs
    return { state: { ...state, sending: theirs.sending, other }, effects: [] }
  }
  const next = { ...state, ...theirs, isTyped: false }
  const isOffered = isUndecided(next) && next.other?.text !== theirs.text
  return { state: { ...next, other: isOffered ? next.other : null }, effects: [] }
}

interface ServerCopy {
  draft: Draft | null
  hasSent: boolean
  isFresh?: boolean
  isAnnounced?: boolean
}

function meetServer(before: DraftState, { draft, hasSent, isFresh, isAnnounced }: ServerCopy): Step {
  if (before.sending && hasSent) {
    if (before.isSender) return finishSending(before)
    if (!before.sending.isOut && isUnchanged(before)) {
      return withEffect({ type: 'notify', notice: 'earlier one sent' }, finishSending(before))
    }
  }
  if (before.sending?.isOut) return { state: before, effects: [] }
  const wasShown = before.isShown
  const other = !draft && isUndecided(before) ? null : before.other
  const state = { ...before, isShown: true, other }
  if (draft) return meetVersion(state, draft)
  if (isUnsaved(state)) return { state, effects: [{ type: 'save later', ms: SAVE_AFTER_MS }] }
  if (isBlank(state)) return { state, effects: [] }
  // The server had it and has it no longer: it was sent or emptied elsewhere. What was read may be older than the last save.
  if (!isFresh) return { state, effects: [{ type: 'read', isAnnounced: wasShown }] }
  const emptied = stored({ ...state, ...EMPTY_DRAFT, other: null, isTyped: false })
  return isAnnounced ? withEffect({ type: 'notify', notice: 'emptied elsewhere' }, emptied) : emptied
}

/** The server has a version: it is older, taken over, continued here, or offered. */
function meetVersion(state: DraftState, draft: Draft): Step {
  const { saved, text, changedAt, isTyped, sending } = state
  const theirs: StoredDraft = {
    text: draft.text,
    changedAt: Date.parse(draft.savedAt),
    saved: { text: draft.text, savedAt: draft.savedAt },
    sending,
  }
  const isDirty = isUnsaved(state)
  if (saved && draft.savedAt <= saved.savedAt) return saveIfUnsaved(state)
  if (!isDirty && !isTyped) return stored({ ...state, ...theirs, other: null })
  const isContinued = isDirty && (text.includes(draft.text) || draft.text === saved?.text)
  if (text === draft.text || isContinued) return stored({ ...state, saved: theirs.saved })
  // What is being written stays; what nobody has touched here for longer gives way.
  if (isTyped || changedAt >= theirs.changedAt) return { state: { ...state, other: theirs }, effects: [] }
  return stored({ ...state, ...theirs, other: { text, changedAt, saved, sending } })
}

function saveIfUnsaved(state: DraftState): Step {
  const isDue = isUnsaved(state) && !isUndecided(state)
  return { state, effects: isDue ? [{ type: 'save later', ms: SAVE_AFTER_MS }] : [] }
}

function useOther(state: DraftState, now: number): Step {
  if (!state.other) return { state, effects: [] }
  const { text, saved } = state.other
  return changed({ ...state, saved: saved ?? state.saved, other: null }, text, now)
}

/** What is here is kept, and saved over the version that was offered. */
function dropOther(state: DraftState): Step {
  const saved = isUndecided(state) ? (state.other?.saved ?? null) : state.saved
  return stored({ ...state, saved, other: null })
}

function startSending(
  state: DraftState,
  { id, after, status, now }: { id: string; after: string; status?: TicketStatus | undefined; now: number },
): Step {
  if (isBlank(state) || state.sending?.isOut) return { state, effects: [] }
  const { text } = state
  const earlier = state.sending && now - state.sending.at < ID_USABLE_MS ? state.sending : undefined
  const sending: Sending = {
    id: earlier?.id ?? id,
    text,
    after: earlier?.after ?? after,
    status,
    at: earlier?.at ?? now,
    isOut: true,
    wasReturned: earlier !== undefined,
    isChanged:
      earlier !== undefined && (earlier.isChanged || earlier.text !== text || earlier.status !== status),
  }
  const next = { ...state, text: '', sending, isSender: true, isSendLate: false, isSaveLate: false }
  if (state.isSaving) return stored({ ...next, sendsAfterSave: true })
  const step = stored(next)
  return { state: step.state, effects: [...step.effects, { type: 'send', sending }] }
}

/** The server has it. It has ended the draft there too, when that was the text that was sent. */
function finishSending(state: DraftState): Step {
  const { sending, saved } = state
  if (!sending) return { state: endSending(state), effects: [] }
  const text = sending.isOut ? state.text : state.text.slice(sending.text.length).trimStart()
  const isEnded = !sending.wasReturned && saved?.text.trim() === sending.text.trim()
  const ended = saved && isEnded ? { text: '', savedAt: saved.savedAt } : saved
  const step = stored({ ...endSending(state), text, saved: ended, sending: null })
  return state.isSender ? withEffect({ type: 'accepted', id: sending.id }, step) : step
}

function refuse(state: DraftState, { reason, now }: { reason: 'id taken' | 'other'; now: number }): Step {
  if (!state.sending) return { state: endSending(state), effects: [] }
  if (reason === 'other') return intoField(state, now)
  // The server has this id: with this text when all tries had it, else with an earlier one, which the agent has to know.
  if (!state.sending.isChanged) return finishSending(state)
  const step = intoField(state, now)
  const next = stored({ ...step.state, sending: null })
  return withEffect({ type: 'notify', notice: 'earlier one differs' }, next)
}

function endSending(state: DraftState): DraftState {
  return { ...state, isSender: false, isSendLate: false, sendsAfterSave: false }
}

/** What was on its way is in the field again, before what has been typed since. Its id is kept: the server may have it. */
function intoField(state: DraftState, now: number): Step {
  if (!state.sending?.isOut) return { state: endSending(state), effects: [] }
  const text = joined(state.sending.text, state.text)
  return changed({ ...endSending(state), sending: returned(state.sending) }, text, now)
}

function putBack(
  state: DraftState,
  { text, sending, now }: { text: string; sending: Sending | null; now: number },
): Step {
  return changed({ ...state, sending: sending && returned(sending) }, joined(text, state.text), now)
}

function isUnchanged({ text, sending }: DraftState): boolean {
  return isBlank({ text }) || (sending !== null && text.startsWith(sending.text))
}

function takeBack(
  state: DraftState,
  { text, isSaved, now }: { text: string; isSaved: boolean; now: number },
): Step {
  const { saved } = state
  const onServer = { text: joined(text, saved?.text ?? ''), savedAt: saved?.savedAt ?? '' }
  return changed({ ...state, saved: isSaved ? onServer : saved }, joined(text, state.text), now)
}

function close(state: DraftState): Step {
  if (state.isForgotten) return { state, effects: [] }
  const effects: DraftEffect[] = state.isSender ? [{ type: 'store', draft: landed(state) }] : []
  if (isUnsaved(state) && !isUndecided(state)) effects.push(saveOf(state, true))
  return { state, effects }
}

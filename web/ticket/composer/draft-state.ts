import { isSameRecipients, type Recipients } from '../recipients/address-list.ts'
import type { Draft, TicketStatus } from '../ticket-query.ts'
import {
  contains,
  contentIn,
  type DraftAttachment,
  type DraftContent,
  hasFilesOf,
  isBlank,
  isSameContent,
  joined,
  withFile,
  without,
} from './draft-content.ts'

// The life of a draft as one pure function: from a state and an event to the next state and its effects. It reads no
// clock, network or storage. `drafts.ts` runs the effects.

export type DraftKind = Draft['kind']

/** A version of the draft on the server; blank when the server has none. `savedAt` tells versions apart. */
interface SavedDraft extends DraftContent {
  savedAt: string
}

/** A message or note between Send and the server's response. */
export interface Sending extends DraftContent {
  /** Created by the page. Sending the same id again never creates a second message. */
  id: string
  /** Reply only: the newest message the agent had seen. */
  after: string
  /** Reply only: the status the ticket gets with it. */
  status?: TicketStatus | undefined
  /** Reply by email only: those whom the agent saw, changed or not. */
  sentTo?: Recipients | undefined
  /** When it was first sent, by this browser's clock. */
  at: number
  /** Removed from the field. False when the text is back in the field and it is unknown whether the server has it. */
  isOut: boolean
  /** It was back in the field once, so a draft with its text may have been saved after the server had it. */
  wasReturned: boolean
  /** An earlier request with this id had another text or other files. */
  isChanged: boolean
}

/** What the browser stores of a draft. */
export interface StoredDraft extends DraftContent {
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
  /** Whether this tab is sending it. Other tabs only see that it is being sent. */
  isSender: boolean
  /** The last request didn't reach the server. */
  isSendLate: boolean
  /** The last save failed and will be retried. */
  isSaveLate: boolean
  isSaving: boolean
  /** Send after the running save, so that no older text arrives after it. */
  sendsAfterSave: boolean
  /** Read again after the running save: its text was sent, and its copy on the server must be known to be deleted. */
  readsAfterSave: boolean
  /** Send was pressed during an upload: it is sent when all files are uploaded. */
  sendsAfterUploads: SendRequest | null
  retryMs: number
  /** The server has no copy any more, whatever a late answer says. The next page offers the text. */
  isTicketDeleted: boolean
  /** The ticket is deleted. Nothing is stored until the agent types. */
  isForgotten: boolean
}

interface SendRequest {
  id: string
  after: string
  status?: TicketStatus | undefined
  sentTo?: Recipients | undefined
}

type SaveFailure = 'unreachable' | 'refused' | 'changed elsewhere' | 'ticket deleted'

export type DraftEvent =
  | { type: 'typed'; text: string; now: number }
  /** Undefined for those that the ticket suggests. */
  | { type: 'recipients changed'; recipients: Recipients | undefined; now: number }
  | { type: 'file attached'; file: DraftAttachment; now: number }
  | { type: 'file removed'; id: string; now: number }
  | { type: 'opened' }
  | { type: 'save due' }
  | ({ type: 'saved'; savedAt: string } & DraftContent)
  | { type: 'save failed'; reason: SaveFailure }
  /** It failed because the server no longer has these files as uploads of the agent. */
  | { type: 'save failed'; reason: 'files gone'; ids: string[] }
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
  | ({ type: 'send pressed'; isUploading: boolean; now: number } & SendRequest)
  /** No upload of this draft is in progress now. `isComplete`: none has failed. */
  | { type: 'uploads ended'; isComplete: boolean; now: number }
  | { type: 'send cancelled' }
  | { type: 'send delayed' }
  | { type: 'sent' }
  | { type: 'send refused'; reason: 'id taken' | 'other'; now: number }
  | { type: 'unsent edited'; now: number }
  | { type: 'unsent discarded' }
  | ({ type: 'put back'; sending: Sending | null; now: number } & DraftContent)
  /** A waiting message was deleted on the server; `isSaved` when the server has put it into this draft. */
  | ({ type: 'taken back'; isSaved: boolean; now: number } & DraftContent)
  | { type: 'page closing' }
  /** The agent is shown the text one last time. */
  | { type: 'ticket deleted'; text: string; now: number }
  | { type: 'forgotten' }

export type DraftEffect =
  | { type: 'store'; draft: StoredDraft }
  | { type: 'forget' }
  | { type: 'save later'; ms: number }
  | ({ type: 'save'; base: string | null; isClosing: boolean } & DraftContent)
  | { type: 'read'; isAnnounced: boolean }
  | { type: 'send'; sending: Sending }
  | { type: 'stop sending' }
  /** The server has what this tab sent. */
  | { type: 'accepted'; id: string }
  | {
      type: 'notify'
      notice: 'emptied elsewhere' | 'earlier one sent' | 'earlier one differs' | 'upload failed'
    }
  | { type: 'report gone files'; names: string[] }
  | { type: 'offer lost text'; text: string }

interface Step {
  state: DraftState
  effects: DraftEffect[]
}

/** Typed text is saved on the server within half a second. */
const SAVE_AFTER_MS = 350
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 10_000
/** After this long without typing, an agent isn't in the middle of a word. */
const STILL_TYPING_MS = 2_000
/** The server accepts ids created within a day. No request runs this long, so a new id is safe. */
const ID_USABLE_MS = 12 * 60 * 60_000

export const EMPTY_DRAFT: StoredDraft = {
  text: '',
  attachments: [],
  changedAt: 0,
  saved: null,
  sending: null,
}

/** The state of a tab that opens a stored draft. */
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
    readsAfterSave: false,
    sendsAfterUploads: null,
    retryMs: FIRST_RETRY_MS,
    isTicketDeleted: false,
    isForgotten: false,
  }
}

export function reduceDraft(state: DraftState, event: DraftEvent): Step {
  switch (event.type) {
    case 'typed':
      return changed({ ...state, isForgotten: false, typedAt: event.now }, { text: event.text }, event.now)
    case 'recipients changed':
      return changed(state, { recipients: event.recipients }, event.now)
    case 'file attached':
      return attach({ ...state, isForgotten: false }, event)
    case 'file removed':
      return changed(state, { attachments: without(state.attachments, [event]) }, event.now)
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

/** Whether the server's copy differs. Text being sent isn't in the field; its copy on the server stays until it is sent. */
export function isUnsaved(draft: StoredDraft): boolean {
  const { saved, sending } = draft
  if (!isBlank(draft)) return saved === null || !isSameContent(draft, saved)
  return !sending?.isOut && saved !== null && !isBlank(saved)
}

/** The server's version as the page keeps it. */
function contentOf({ text, attachments = [], recipients }: Draft): DraftContent {
  return contentIn({ text, attachments, recipients })
}

/** Whether a newer version is offered. Until the agent chooses, nothing is saved over it. */
function isUndecided({ other, saved }: DraftState): boolean {
  return (other?.saved?.savedAt ?? '') > (saved?.savedAt ?? '')
}

/** The draft with the text in flight back in the field, as stored for a page that can't know the result. */
export function withUnconfirmedText(draft: StoredDraft): StoredDraft {
  const { changedAt, saved, sending } = draft
  if (!sending?.isOut) return { ...contentIn(draft), changedAt, saved, sending }
  return { changedAt, saved, ...joined(sending, draft), sending: returned(sending) }
}

function returned(sending: Sending): Sending {
  return { ...sending, isOut: false, wasReturned: true }
}

/** Stores the draft in the browser, and on the server if its copy differs. */
function stored(state: DraftState): Step {
  const { changedAt, saved, sending } = state
  const next = { ...state, isSaveLate: state.isSaveLate && isUnsaved(state) }
  const effects: DraftEffect[] = []
  const draft = { ...contentIn(state), changedAt, saved, sending }
  if (!state.isForgotten) effects.push({ type: 'store', draft })
  if (isUnsaved(state) && !isUndecided(state)) effects.push({ type: 'save later', ms: SAVE_AFTER_MS })
  return { state: next, effects }
}

function changed(state: DraftState, content: Partial<DraftContent>, now: number): Step {
  return stored({ ...state, ...content, changedAt: now, isTyped: true })
}

/** Puts an uploaded file at its place among the others, or one that was removed back there. */
function attach(state: DraftState, { file, now }: { file: DraftAttachment; now: number }): Step {
  return changed(state, { attachments: withFile(state.attachments, file) }, now)
}

function withEffect(effect: DraftEffect, { state, effects }: Step): Step {
  return { state, effects: [effect, ...effects] }
}

function startSave(state: DraftState): Step {
  if (state.isSaving || state.isForgotten || !isUnsaved(state) || isUndecided(state))
    return { state, effects: [] }
  return { state: { ...state, isSaving: true }, effects: [saveOf(state, false)] }
}

function saveOf(draft: StoredDraft, isClosing: boolean): DraftEffect {
  return { type: 'save', ...contentIn(draft), base: draft.saved?.savedAt || null, isClosing }
}

function afterSave(state: DraftState, { savedAt, ...draft }: SavedDraft): Step {
  const content = contentIn(draft)
  const copy = { ...content, text: isBlank(content) ? '' : content.text, savedAt }
  const saved = state.isTicketDeleted ? null : copy
  const step = stored({ ...state, saved, isSaving: false, isSaveLate: false, retryMs: FIRST_RETRY_MS })
  return afterSaving(step)
}

/** Saves again without the files that were sent from another tab, or deleted because the server waited for them too long. */
function dropFiles(state: DraftState, ids: string[]): Step {
  const gone = state.attachments.filter(({ id }) => ids.includes(id))
  // Otherwise the server would refuse the same files again.
  if (gone.length === 0) return afterFailedSave(state, 'refused')
  const next = { ...state, isSaving: false, attachments: without(state.attachments, gone) }
  const report: DraftEffect = { type: 'report gone files', names: gone.map(({ name }) => name) }
  return afterSaving(withEffect(report, stored(next)))
}

function afterFailedSave(state: DraftState, reason: SaveFailure): Step {
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

function meetOtherTab(
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

function meetServer(before: DraftState, { draft, hasSent, isFresh, isAnnounced }: ServerCopy): Step {
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

function useOther(state: DraftState, now: number): Step {
  if (!state.other) return { state, effects: [] }
  const { text, attachments, recipients, saved } = state.other
  const content = { text, attachments, recipients }
  return changed({ ...state, saved: saved ?? state.saved, other: null }, content, now)
}

/** Keeps this version and saves it over the offered one. */
function dropOther(state: DraftState): Step {
  const saved = isUndecided(state) ? (state.other?.saved ?? null) : state.saved
  return stored({ ...state, saved, other: null })
}

type Press = SendRequest & { now: number }

/** Sends, or waits for the uploads. */
function pressSend(
  state: DraftState,
  { isUploading, now, id, after, status, sentTo }: Press & { isUploading: boolean },
): Step {
  const request = { id, after, status, ...(sentTo && { sentTo }) }
  if (!isUploading) return startSending(state, { ...request, now })
  if (state.sending?.isOut) return { state, effects: [] }
  return { state: { ...state, sendsAfterUploads: request }, effects: [] }
}

function endUploads(before: DraftState, { isComplete, now }: { isComplete: boolean; now: number }): Step {
  const { sendsAfterUploads: request, ...rest } = before
  const state = { ...rest, sendsAfterUploads: null }
  if (!request) return { state, effects: [] }
  if (!isComplete) return { state, effects: [{ type: 'notify', notice: 'upload failed' }] }
  return startSending(state, { ...request, now })
}

function startSending(state: DraftState, { id, after, status, sentTo, now }: Press): Step {
  if (isBlank(state) || state.sending?.isOut) return { state, effects: [] }
  const earlier = state.sending && now - state.sending.at < ID_USABLE_MS ? state.sending : undefined
  const sending: Sending = {
    id: earlier?.id ?? id,
    ...contentIn(state),
    after: earlier?.after ?? after,
    status,
    ...(sentTo && { sentTo }),
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
function finishSending(state: DraftState): Step {
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

function refuse(state: DraftState, { reason, now }: { reason: 'id taken' | 'other'; now: number }): Step {
  if (!state.sending) return { state: endSending(state), effects: [] }
  if (reason === 'other') return intoField(state, now)
  // The server already has this id: with this content if every request had it, otherwise with an earlier one, which the agent must know.
  if (!state.sending.isChanged) return finishSending(state)
  const step = intoField(state, now)
  const next = stored({ ...step.state, sending: null })
  return withEffect({ type: 'notify', notice: 'earlier one differs' }, next)
}

function endSending(state: DraftState): DraftState {
  return { ...state, isSender: false, isSendLate: false, sendsAfterSave: false }
}

/** Puts what is being sent back into the field, before what was typed since. Keeps its id, because the server may have it. */
function intoField(state: DraftState, now: number): Step {
  if (!state.sending?.isOut) return { state: endSending(state), effects: [] }
  const content = joined(state.sending, state)
  return changed({ ...endSending(state), sending: returned(state.sending) }, content, now)
}

function putBack(
  state: DraftState,
  { sending, now, ...content }: DraftContent & { sending: Sending | null; now: number },
): Step {
  return changed({ ...state, sending: sending && returned(sending) }, joined(content, state), now)
}

function isUnchanged(state: DraftState): boolean {
  const { text, sending } = state
  return isBlank(state) || (sending !== null && text.startsWith(sending.text) && hasFilesOf(state, sending))
}

function takeBack(
  state: DraftState,
  { isSaved, now, ...content }: DraftContent & { isSaved: boolean; now: number },
): Step {
  const { saved } = state
  const onServer = { ...joined(content, saved ?? EMPTY_DRAFT), savedAt: saved?.savedAt ?? '' }
  return changed({ ...state, saved: isSaved ? onServer : saved }, joined(content, state), now)
}

function close(state: DraftState): Step {
  if (state.isForgotten) return { state, effects: [] }
  const effects: DraftEffect[] = state.isSender ? [{ type: 'store', draft: withUnconfirmedText(state) }] : []
  if (isUnsaved(state) && !isUndecided(state)) effects.push(saveOf(state, true))
  return { state, effects }
}

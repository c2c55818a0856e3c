import type { Recipients } from '../recipients/address-list.ts'
import type { Draft, TicketStatus } from '../ticket-query.ts'
import {
  contentIn,
  type DraftAttachment,
  type DraftContent,
  isBlank,
  isSameContent,
  joined,
} from './draft-content.ts'

export type DraftKind = Draft['kind']

/** A version of the draft on the server; blank when the server has none. `savedAt` tells versions apart. */
export interface SavedDraft extends DraftContent {
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
  /** Reply by email only: the recipients that the agent saw, changed or not. */
  sentTo?: Recipients | undefined
  /** Reply only: how long the agent can undo it before the server sends it; 0 sends it at once. */
  undoMs?: number | undefined
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
  /** The server has no copy anymore, whatever a late answer says. The next page offers the text. */
  isTicketDeleted: boolean
  /** The ticket is deleted. Nothing is stored until the agent types. */
  isForgotten: boolean
}

export interface SendRequest {
  id: string
  after: string
  status?: TicketStatus | undefined
  sentTo?: Recipients | undefined
  undoMs?: number | undefined
}

export type SaveFailure = 'unreachable' | 'refused' | 'changed elsewhere' | 'ticket deleted'

export type DraftEvent =
  | { type: 'typed'; text: string; now: number }
  /** Undefined for the recipients that the ticket suggests. */
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

export interface Step {
  state: DraftState
  effects: DraftEffect[]
}

/** Typed text is saved on the server within half a second. */
export const SAVE_AFTER_MS = 350
export const FIRST_RETRY_MS = 2_000
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

/** Whether the server's copy differs. Text being sent isn't in the field; its copy on the server stays until it is sent. */
export function isUnsaved(draft: StoredDraft): boolean {
  const { saved, sending } = draft
  if (!isBlank(draft)) return saved === null || !isSameContent(draft, saved)
  return !sending?.isOut && saved !== null && !isBlank(saved)
}

/** Whether a newer version is offered. Until the agent chooses, nothing is saved over it. */
export function isUndecided({ other, saved }: DraftState): boolean {
  return (other?.saved?.savedAt ?? '') > (saved?.savedAt ?? '')
}

/** The draft with the text in flight back in the field, as stored for a page that can't know the result. */
export function withUnconfirmedText(draft: StoredDraft): StoredDraft {
  const { changedAt, saved, sending } = draft
  if (!sending?.isOut) return { ...contentIn(draft), changedAt, saved, sending }
  return { changedAt, saved, ...joined(sending, draft), sending: returned(sending) }
}

export function returned(sending: Sending): Sending {
  return { ...sending, isOut: false, wasReturned: true }
}

/** Stores the draft in the browser, and on the server if its copy differs. */
export function stored(state: DraftState): Step {
  const { changedAt, saved, sending } = state
  const next = { ...state, isSaveLate: state.isSaveLate && isUnsaved(state) }
  const effects: DraftEffect[] = []
  const draft = { ...contentIn(state), changedAt, saved, sending }
  if (!state.isForgotten) effects.push({ type: 'store', draft })
  if (isUnsaved(state) && !isUndecided(state)) effects.push({ type: 'save later', ms: SAVE_AFTER_MS })
  return { state: next, effects }
}

export function changed(state: DraftState, content: Partial<DraftContent>, now: number): Step {
  return stored({ ...state, ...content, changedAt: now, isTyped: true })
}

export function withEffect(effect: DraftEffect, { state, effects }: Step): Step {
  return { state, effects: [effect, ...effects] }
}

import { parseStored, readStored, removeStored, store, storedKeys } from '../../browser/local-storage.ts'
import type { Actions } from '../changes/actions.ts'
import type { Recipients } from '../recipients/address-list.ts'
import type { Draft } from '../ticket-query.ts'
import { contentIn, type DraftContent, isBlank, isSameContent, joined } from './draft-content.ts'

export type DraftKind = Draft['kind']

/** A version of the draft on the server; blank when the server has none. `savedAt` tells versions apart. */
interface SavedDraft extends DraftContent {
  savedAt: string
}

/** What Send asks for. */
export interface SendRequest {
  /** Created by the page. Sending the same id again never creates a second message. */
  id: string
  /** Reply only: the newest message the agent had seen. */
  after: string
  /** Reply only: what the chosen way to send does to the ticket, beside the actions in the draft, which it joins. */
  chosen?: Actions | undefined
  /** Reply only: when to send it, by the server's clock (ISO 8601), whatever its draft says. */
  sendAt: string | undefined
  /** Reply by email only: the recipients that the agent saw, changed or not. */
  sentTo?: Recipients | undefined
  /** Reply only: how long the agent can undo it before the server sends it; 0 sends it at once. */
  undoMs?: number | undefined
}

/** A message or note between Send and the server's response. */
export interface Sending extends DraftContent, Omit<SendRequest, 'chosen' | 'sendAt'> {
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

export const EMPTY_DRAFT: StoredDraft = {
  text: '',
  attachments: [],
  recipients: undefined,
  actions: undefined,
  sendAt: undefined,
  changedAt: 0,
  saved: null,
  sending: null,
}

const PREFIX = 'bellhop.draft.'

/** Whether the server's copy differs. Text being sent isn't in the field; its copy on the server stays until it is sent. */
export function isUnsaved(draft: StoredDraft): boolean {
  const { saved, sending } = draft
  if (!isBlank(draft)) return saved === null || !isSameContent(draft, saved)
  return !sending?.isOut && saved !== null && !isBlank(saved)
}

export function returned(sending: Sending): Sending {
  return { ...sending, isOut: false, wasReturned: true }
}

/** The draft with the text in flight back in the field, as stored for a page that can't know the result. */
export function withUnconfirmedText(draft: StoredDraft): StoredDraft {
  const { changedAt, saved, sending } = draft
  if (!sending?.isOut) return { ...contentIn(draft), changedAt, saved, sending }
  return { changedAt, saved, ...joined(sending, draft), sending: returned(sending) }
}

export function storageKey(agentId: string, ticketId: string, kind: DraftKind): string {
  return `${PREFIX}${agentId}.${ticketId}.${kind}`
}

/** Reads the draft that an earlier page stored, with the text it was sending back in the field. */
export function readStoredDraft(key: string): StoredDraft | undefined {
  const draft = readStored<StoredDraft | undefined>(key, isStoredDraft, undefined)
  return draft && withUnconfirmedText(draft)
}

export function parseStoredDraft(text: string | null): StoredDraft | undefined {
  return parseStored<StoredDraft | undefined>(text, isStoredDraft, undefined)
}

/** A blank draft that the server knows about isn't stored. The server has every draft half a second later. */
export function writeStoredDraft(key: string, draft: StoredDraft): void {
  const { changedAt, saved, sending } = draft
  if (isBlank(draft) && !isUnsaved(draft) && !sending) removeStored(key)
  else store(key, { ...contentIn(draft), changedAt, saved, sending })
}

/** This agent's drafts that differ from the server's or were being sent. */
export function unsavedDrafts(agentId: string): { ticketId: string; kind: DraftKind }[] {
  return keysOf(agentId).flatMap((key) => {
    const [ticketId = '', kind] = key.slice(`${PREFIX}${agentId}.`.length).split('.')
    return (kind === 'reply' || kind === 'note') && isPending(key) ? [{ ticketId, kind }] : []
  })
}

/** Removes drafts that the server has, so that the next person at this browser can't read them. */
export function removeSavedDrafts(agentId: string): void {
  for (const key of keysOf(agentId)) if (!isPending(key)) removeStored(key)
}

function isPending(key: string): boolean {
  const draft = readStoredDraft(key)
  return draft !== undefined && (isUnsaved(draft) || draft.sending !== null)
}

function keysOf(agentId: string): string[] {
  return storedKeys(`${PREFIX}${agentId}.`)
}

function isStoredDraft(value: unknown): value is StoredDraft {
  return (
    hasContent(value) &&
    'changedAt' in value &&
    'saved' in value &&
    'sending' in value &&
    typeof value.changedAt === 'number' &&
    (value.saved === null || (hasContent(value.saved) && 'savedAt' in value.saved)) &&
    (value.sending === null || (hasContent(value.sending) && 'id' in value.sending))
  )
}

function hasContent(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return 'text' in value && 'attachments' in value && Array.isArray(value.attachments)
}

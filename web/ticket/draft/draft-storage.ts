import { isBlank } from './draft-content.ts'
import { type DraftKind, isUnsaved, type StoredDraft, withUnconfirmedText } from './draft-state.ts'

const PREFIX = 'bellhop.draft.'

export function storageKey(agentId: string, ticketId: string, kind: DraftKind): string {
  return `${prefixOf(agentId)}${ticketId}.${kind}`
}

/** Reads the draft that an earlier page stored, with the text it was sending back in the field. */
export function readStoredDraft(key: string): StoredDraft | undefined {
  try {
    const draft = parseStoredDraft(localStorage.getItem(key))
    return draft && withUnconfirmedText(draft)
  } catch {
    return undefined
  }
}

export function parseStoredDraft(value: string | null): StoredDraft | undefined {
  if (value === null) return undefined
  try {
    const draft: unknown = JSON.parse(value)
    return isStoredDraft(draft) ? draft : undefined
  } catch {
    return undefined
  }
}

/** A blank draft that the server knows about isn't stored. */
export function writeStoredDraft(key: string, draft: StoredDraft): void {
  try {
    if (isBlank(draft) && !isUnsaved(draft) && !draft.sending) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Without storage, the server has the draft half a second later.
  }
}

export function removeStoredDraft(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Without storage, there is nothing to remove.
  }
}

/** This agent's drafts that differ from the server's or were being sent. */
export function unsavedDrafts(agentId: string): { ticketId: string; kind: DraftKind }[] {
  return storedKeys(agentId).flatMap((key) => {
    const [ticketId = '', kind] = key.slice(prefixOf(agentId).length).split('.')
    const isKind = kind === 'reply' || kind === 'note'
    return isKind && isPending(key) ? [{ ticketId, kind }] : []
  })
}

/** Removes drafts that the server has, so that the next person at this browser can't read them. */
export function removeSavedDrafts(agentId: string): void {
  for (const key of storedKeys(agentId)) if (!isPending(key)) removeStoredDraft(key)
}

function isPending(key: string): boolean {
  const draft = readStoredDraft(key)
  return draft !== undefined && (isUnsaved(draft) || draft.sending !== null)
}

function storedKeys(agentId: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefixOf(agentId)))
  } catch {
    return []
  }
}

function prefixOf(agentId: string): string {
  return `${PREFIX}${agentId}.`
}

function isStoredDraft(value: unknown): value is StoredDraft {
  if (typeof value !== 'object' || value === null) return false
  if (!('text' in value && 'changedAt' in value && 'saved' in value && 'sending' in value)) return false
  const { changedAt, saved, sending } = value
  return hasContent(value) && typeof changedAt === 'number' && isSaved(saved) && isSending(sending)
}

function hasContent(value: object): boolean {
  return (
    'text' in value &&
    typeof value.text === 'string' &&
    'attachments' in value &&
    Array.isArray(value.attachments)
  )
}

function isSaved(value: unknown): boolean {
  return value === null || (typeof value === 'object' && hasContent(value) && 'savedAt' in value)
}

function isSending(value: unknown): boolean {
  return (
    value === null || (typeof value === 'object' && hasContent(value) && 'id' in value && 'isOut' in value)
  )
}

import type { Draft } from '../ticket-query.ts'

export type DraftKind = Draft['kind']

/** A draft as this browser keeps it: there at the next key stroke, whatever happens to the page or the network. */
export interface StoredDraft {
  text: string
  /** When it was typed, by this browser's clock. */
  changedAt: number
  /** Which version of the server it began from: its `savedAt`. */
  base: string | null
  /** The server does not have it yet. */
  isDirty: boolean
  /** It has been sent, and nobody knows whether that arrived. */
  attempt: Attempt | null
}

/** Sending one thing, as often as it takes: the server takes one of all that come with the same key. */
export interface Attempt {
  key: string
  /** The newest id of the thread before it was sent first. */
  after: string
  /** The texts that were sent, newest last: only one of them may have arrived. */
  tried: string[]
  /** The newest of them is not in the field now, because it is on its way. */
  isOut: boolean
}

const PREFIX = 'bellhop.draft.'

export function storageKey(agentId: string, ticketId: string, kind: DraftKind): string {
  return `${PREFIX}${agentId}.${ticketId}.${kind}`
}

/** What was on its way when the page was closed is in the field again. */
export function readStored(key: string): StoredDraft | undefined {
  try {
    const stored = parseStored(localStorage.getItem(key))
    return stored && landed(stored)
  } catch {
    return undefined
  }
}

/** The draft with what is on its way back in the field. */
export function landed(draft: StoredDraft): StoredDraft {
  const { attempt, text } = draft
  if (!attempt?.isOut) return draft
  const out = attempt.tried.at(-1) ?? ''
  return { ...draft, text: joined(out, text), attempt: { ...attempt, isOut: false }, isDirty: true }
}

/** What was written first, and what has been written since. */
export function joined(text: string, since: string): string {
  return since.trim() === '' || since === text ? text : `${text}\n\n${since}`
}

/** A draft without words that the server knows about is no draft. */
export function writeStored(key: string, draft: StoredDraft): void {
  try {
    if (draft.text.trim() === '' && !draft.isDirty && !draft.attempt) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // A browser that keeps nothing: the server has it half a second later.
  }
}

export function forgetStored(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

export function parseStored(value: string | null): StoredDraft | undefined {
  if (value === null) return undefined
  try {
    const stored: unknown = JSON.parse(value)
    return isStored(stored) ? stored : undefined
  } catch {
    return undefined
  }
}

/** Drafts of this agent with words that have not reached the server. */
export function unsavedDrafts(agentId: string): { ticketId: string; kind: DraftKind }[] {
  return draftKeys(agentId).flatMap((key) => {
    const [ticketId = '', kind] = key.slice(startOf(agentId).length).split('.')
    return readStored(key)?.isDirty && (kind === 'reply' || kind === 'note') ? [{ ticketId, kind }] : []
  })
}

/** Removes from this browser what the server has: the next person at it must not find it. */
export function forgetSavedDrafts(agentId: string): void {
  for (const key of draftKeys(agentId)) {
    const stored = readStored(key)
    if (!stored?.isDirty && !stored?.attempt) localStorage.removeItem(key)
  }
}

function draftKeys(agentId: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(startOf(agentId)))
  } catch {
    return []
  }
}

function startOf(agentId: string): string {
  return `${PREFIX}${agentId}.`
}

function isStored(value: unknown): value is StoredDraft {
  if (typeof value !== 'object' || value === null) return false
  if (!('text' in value && 'changedAt' in value && 'isDirty' in value && 'attempt' in value)) return false
  return typeof value.text === 'string' && typeof value.changedAt === 'number' && isAttempt(value.attempt)
}

function isAttempt(value: unknown): boolean {
  if (value === null) return true
  return typeof value === 'object' && 'key' in value && 'tried' in value && Array.isArray(value.tried)
}

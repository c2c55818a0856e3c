import type { Draft } from './ticket-data.ts'

export type DraftKind = Draft['kind']

/** A draft as this browser keeps it: there at the next key stroke, whatever happens to the page or the network. */
export interface StoredDraft {
  kind: DraftKind
  text: string
  /** When it was typed, by this browser's clock. */
  changedAt: number
  /** Which version of the server it began from: its `savedAt`. */
  base: string | null
  /** The server does not have it yet. */
  isDirty: boolean
}

const PREFIX = 'bellhop.draft.'

export function storageKey(agentId: string, ticketId: string): string {
  return `${PREFIX}${agentId}.${ticketId}`
}

export function readStored(key: string): StoredDraft | undefined {
  try {
    return parseStored(localStorage.getItem(key))
  } catch {
    return undefined
  }
}

/** A draft without words that the server knows about is no draft. */
export function writeStored(key: string, draft: StoredDraft): void {
  try {
    if (draft.text.trim() === '' && !draft.isDirty) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // A browser that keeps nothing: the server has it half a second later.
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

/** Tickets of this agent with words that have not reached the server. */
export function unsavedTickets(agentId: string): string[] {
  const start = storageKey(agentId, '')
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(start))
    return keys.filter((key) => readStored(key)?.isDirty).map((key) => key.slice(start.length))
  } catch {
    return []
  }
}

function isStored(value: unknown): value is StoredDraft {
  if (typeof value !== 'object' || value === null) return false
  if (!('kind' in value && 'text' in value && 'changedAt' in value && 'isDirty' in value)) return false
  const isKind = value.kind === 'reply' || value.kind === 'note'
  return isKind && typeof value.text === 'string' && typeof value.changedAt === 'number'
}

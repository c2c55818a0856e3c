import type { Draft } from '../ticket-query.ts'
import type { StoredDraft } from './stored-draft.ts'

/**
 * What becomes of a draft here when the server says what it has:
 * - `keep`: nothing; what is here is newer, or the same.
 * - `take`: what the server has is shown.
 * - `follow`: what is here goes on from that version, of which it holds every word.
 * - `offer`: what is here stays, and the other version is offered.
 * - `give way`: what the server has is shown, and what was here is offered.
 * - `sent`: the server had it and has it no more: it was sent or emptied elsewhere, unless this news is old.
 */
type Meeting = 'keep' | 'take' | 'follow' | 'offer' | 'give way' | 'sent'

/** `isTyped`: somebody has typed in this tab. `known`: what this tab has had from the server otherwise. */
export function meet(
  mine: StoredDraft,
  server: Draft | null,
  { isTyped, known }: { isTyped: boolean; known: ReadonlySet<string> },
): Meeting {
  if (server === null) {
    if (mine.isDirty) return 'keep'
    if (mine.base !== null && mine.text.trim() !== '') return 'sent'
    return isTyped ? 'keep' : 'take'
  }
  if (mine.base !== null && server.savedAt <= mine.base) return 'keep'
  if (!mine.isDirty && !isTyped) return 'take'
  if (mine.text === server.text) return 'follow'
  if (mine.isDirty && (mine.text.includes(server.text) || known.has(server.text))) return 'follow'
  return isTyped || mine.changedAt >= Date.parse(server.savedAt) ? 'offer' : 'give way'
}

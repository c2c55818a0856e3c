import { createEffect, onCleanup } from 'solid-js'
import { announcePresence } from '../live/presence.ts'

/** Tells colleagues that somebody has this ticket open, and whether they are writing. */
export function usePresence(ticketId: string, isWriting: () => boolean): void {
  createEffect(() => announcePresence(ticketId, isWriting() ? 'replying' : 'viewing'))
  onCleanup(() => announcePresence(null, 'viewing'))
}

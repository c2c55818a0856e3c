import { createSignal } from 'solid-js'
import type { DraftKind } from './stored-draft.ts'

/** Something written that the server has not taken yet: shown in the thread from the moment of the key stroke. */
export interface Outgoing {
  id: string
  ticketId: string
  kind: DraftKind
  text: string
}

const [all, setAll] = createSignal<Outgoing[]>([])
let lastNumber = 0

export function outgoingOf(ticketId: string): Outgoing[] {
  return all().filter((one) => one.ticketId === ticketId)
}

/** Shows it. Answers how to take it away again, when the server has it or refuses it. */
export function addOutgoing(one: Omit<Outgoing, 'id'>): () => void {
  lastNumber += 1
  const id = `outgoing ${lastNumber}`
  setAll((others) => [...others, { ...one, id }])
  return () => setAll((others) => others.filter((other) => other.id !== id))
}

import { type Accessor, createSignal } from 'solid-js'
import type { DraftKind } from '../composer/stored-draft.ts'

/** Something written that the server has not taken yet: shown in the thread from the moment of the key stroke. */
export interface Outgoing {
  ticketId: string
  kind: DraftKind
  text: string
  /** The newest id of the thread before it. */
  after: string
  /** The server was not reached, and is tried again. */
  isWaiting: Accessor<boolean>
  /** Puts it back into the field. */
  edit: () => void
  discard: () => void
}

const [all, setAll] = createSignal<Outgoing[]>([])

export function outgoingOf(ticketId: string): Outgoing[] {
  return all().filter((one) => one.ticketId === ticketId)
}

/** Shows it. Answers how to take it away again, when the server has it or refuses it. */
export function addOutgoing(one: Outgoing): () => void {
  setAll((others) => [...others, one])
  return () => setAll((others) => others.filter((other) => other !== one))
}

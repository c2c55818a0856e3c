import type { Accessor } from 'solid-js'
import type { Draft } from '../ticket-query.ts'
import type { Attempt, StoredDraft } from './stored-draft.ts'

/** What an agent has begun to write on a ticket: a reply, or a note. One never becomes the other. */
export interface DraftKeeper {
  text: Accessor<string>
  isBlank: Accessor<boolean>
  /** The version on the server that it goes on from; null for none. */
  base: Accessor<string | null>
  /** When it was last written. */
  changedAt: Accessor<number>
  /** Not saved on the server for a while: it is kept here and sent as soon as that works. */
  isWaiting: Accessor<boolean>
  /** Another version, from another tab or device, that is not shown because this one was being written. */
  other: Accessor<StoredDraft | undefined>
  /** What was sent without an answer, if anything was. */
  attempt: Accessor<Attempt | null>
  write(text: string): void
  /** A reply that the server took back, with what it has put behind it. */
  takeBack(text: string): void
  takeOther(): void
  dropOther(): void
  /** The ticket is opened again: what was saved may have been changed elsewhere since. */
  reopened(): void
  /** What the server has, each time the ticket was read. */
  arrived(server: Draft | null): void
  /** Saves at once: the field was left, or the page is going. */
  flush(isLeaving?: boolean): void
  /** Waits until the server has all that was written, or cannot be reached. */
  settle(): Promise<void>
  /** Empties the field for what is on its way, under the key of an earlier try whose answer never came. */
  beginSend(after: string): Promise<Attempt>
  /** It has arrived. */
  gone(sent: string): void
  /** It was refused or taken back: in the field again, before what has been written since. */
  putBack(text: string, attempt: Attempt | null): void
  /** It is given up. */
  drop(): void
}

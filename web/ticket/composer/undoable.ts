import { createSignal } from 'solid-js'

// What the thread and the Undo of messages know of each other. Apart, because undoing is loaded later.

interface Undoable {
  endsAt: number
  run: () => void
}

/** Undoing messages that have left, by their ids. */
const [undoable, setUndoable] = createSignal<ReadonlyMap<string, Undoable>>(new Map())

/** How to undo a message that left at once, as long as its thread offers that. */
export function undoOf(id: string): Undoable | undefined {
  return undoable().get(id)
}

/** Undefined when it can no longer be undone. */
export function changeUndoOf(id: string, undo: Undoable | undefined): void {
  setUndoable((known) => {
    const others = [...known].filter(([other]) => other !== id)
    return new Map(undo ? [...others, [id, undo]] : others)
  })
}

/** The thread that shows its waiting replies with their own Undo. */
export const [threadOnScreen, setThreadOnScreen] = createSignal<string>()

import { toast, toastError } from '../../ui/toaster.tsx'

/** Something done that can be taken back. */
interface UndoEntry {
  /** What was done, such as "Resolved". */
  label: string
  /** Takes it back. Says itself why when it cannot. */
  undo: () => void | Promise<void>
  /** It can be taken back only until then. */
  endsAt?: number
  /** Not all of it was done: that is said until somebody closes it. */
  isPart?: boolean
}

/** Older ones are forgotten: nobody remembers what the thirtieth was. */
const MOST_ENTRIES = 30

let entries: { entry: UndoEntry; closeToast: () => void }[] = []

/**
 * Remembers what was just done and says so, with an Undo. Answers how to forget it, for what cannot be taken back any
 * more; false when it is forgotten or taken back already.
 */
export function pushUndo(entry: UndoEntry): () => boolean {
  const action = { text: 'Undo', keys: 'mod+z', run: () => void undo(entry) }
  // One after the other, so that a quick hand does not pile them up; only what counts down or went wrong stays beside the next.
  for (const other of entries) if (!other.entry.endsAt && !other.entry.isPart) other.closeToast()
  const closeToast = entry.isPart ? toastError(entry.label, action) : toast(entry.label, action, entry.endsAt)
  entries = [{ entry, closeToast }, ...entries].slice(0, MOST_ENTRIES)
  return () => forget(entry)
}

/** Takes back the newest thing that was done (Ctrl/⌘+Z). False when there is nothing left. */
export async function undoLast(): Promise<boolean> {
  const now = Date.now()
  const newest = entries.find(({ entry }) => !entry.endsAt || entry.endsAt > now)
  if (!newest) return false
  await undo(newest.entry)
  return true
}

/** Takes back one thing, once: the Undo of a row, of a thread, of a toast. */
export async function undo(entry: UndoEntry): Promise<void> {
  if (forget(entry)) await entry.undo()
}

function forget(entry: UndoEntry): boolean {
  const known = entries.find((other) => other.entry === entry)
  if (!known) return false
  entries = entries.filter((other) => other !== known)
  known.closeToast()
  return true
}

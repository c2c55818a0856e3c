import { createEffect, createRoot, onCleanup } from 'solid-js'
import { toast, toastError } from '../../ui/toaster.tsx'

/** Something that was done and can be undone. */
interface UndoEntry {
  /** What was done, such as "Resolved: Ana Pires". */
  label: string
  /** Undoes it. Shows the reason itself if that fails. */
  undo: () => void | Promise<void>
  /** Can be undone only until then (milliseconds since 1970). */
  endsAt?: number
  /** Whether there is still something to undo. While there isn't, Ctrl/⌘+Z passes it over. */
  isPossible?: () => boolean
  /** Another button of the toast. */
  other?: { text: string; run: () => void }
  /** The page shows it with its own Undo. Then there is no toast. */
  isOnScreen?: () => boolean
  /** Only a part of it was done. The toast stays until it is closed. */
  isPart?: boolean
}

/** Older entries are dropped. */
const MAX_ENTRIES = 30

let entries: { entry: UndoEntry; closeToast: () => void }[] = []

/** Records what was done and shows a toast with Undo. Returns the function that drops it, which returns false if it was dropped before. */
export function pushUndo(entry: UndoEntry): () => boolean {
  const action = { text: 'Undo', keys: 'mod+z', run: () => void undo(entry) }
  // A new toast replaces the previous one, except one with a countdown or a partial failure.
  for (const other of entries) if (!other.entry.endsAt && !other.entry.isPart) other.closeToast()
  const show = () =>
    entry.isPart ? toastError(entry.label, action, entry.other) : toast(entry.label, action, entry)
  const closeToast = entry.isOnScreen ? showUnless(entry.isOnScreen, show) : show()
  entries = [{ entry, closeToast }, ...entries].slice(0, MAX_ENTRIES)
  return () => forget(entry)
}

/** Undoes the newest entry (Ctrl/⌘+Z). Returns false if there is none. */
export async function undoLast(): Promise<boolean> {
  const now = Date.now()
  const newest = entries.find(
    ({ entry: { endsAt, isPossible } }) => (!endsAt || endsAt > now) && isPossible?.() !== false,
  )
  if (!newest) return false
  await undo(newest.entry)
  return true
}

/** Undoes one entry. Does nothing the second time. */
async function undo(entry: UndoEntry): Promise<void> {
  if (forget(entry)) await entry.undo()
}

/** Returns the function that closes it. */
function showUnless(isOnScreen: () => boolean, show: () => () => void): () => void {
  return createRoot((dispose) => {
    createEffect(() => {
      if (!isOnScreen()) onCleanup(show())
    })
    return dispose
  })
}

function forget(entry: UndoEntry): boolean {
  const known = entries.find((other) => other.entry === entry)
  if (!known) return false
  entries = entries.filter((other) => other !== known)
  known.closeToast()
  return true
}

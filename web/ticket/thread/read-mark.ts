import { createEffect, createSignal, onCleanup } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import { patchRow } from '../list-cache.ts'
import { patchTicket, type TicketDetail } from '../ticket-query.ts'
import { newestMessage } from './thread-rows.ts'

/** A ticket shown for less time than this doesn't count as read. */
const READ_AFTER_MS = 1_000

/** Marks the ticket as read after it has been visible in a focused window for a second. */
export function useReadMark(detail: () => TicketDetail) {
  const { id } = detail().ticket
  const [isVisible, setVisible] = createSignal(isPageVisible())
  const [isKeptUnread, setKeptUnread] = createSignal(false)
  const update = () => setVisible(isPageVisible())
  for (const event of ['focus', 'blur']) window.addEventListener(event, update)
  document.addEventListener('visibilitychange', update)
  onCleanup(() => {
    for (const event of ['focus', 'blur']) window.removeEventListener(event, update)
    document.removeEventListener('visibilitychange', update)
  })

  createEffect(() => {
    const newest = newestMessage(detail().timeline)?.id
    if (!newest || newest === detail().readUpTo || !isVisible() || isKeptUnread()) return
    const timer = setTimeout(() => void markRead(id, newest), READ_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })

  createEffect(() => {
    if (!isVisible() || isKeptUnread() || detail().mentions.every(({ isSeen }) => isSeen)) return
    const timer = setTimeout(() => void markMentionsSeen(id), READ_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })

  return {
    /** Stays unread until the ticket is opened again. */
    async markUnread() {
      setKeptUnread(true)
      patchRow(id, (row) => ({ ...row, isUnread: true }))
      try {
        await ask(api.console.tickets({ id }).read.delete())
        toast('Marked as unread')
      } catch (error) {
        toastError(errorMessage(error))
      }
      refreshCounts()
    },
  }
}

async function markRead(id: string, messageId: string): Promise<void> {
  try {
    await ask(api.console.tickets({ id }).read.put({ messageId }))
    patchTicket(id, (known) => ({ ...known, readUpTo: messageId }))
    patchRow(id, (row) => ({ ...row, isUnread: false }))
    refreshCounts()
  } catch {
    // The agent can't do anything about it. The next message tries again.
  }
}

async function markMentionsSeen(id: string): Promise<void> {
  try {
    await ask(api.console.tickets({ id }).mentions.seen.put())
    patchTicket(id, (known) => ({
      ...known,
      mentions: known.mentions.map((mention) => ({ ...mention, isSeen: true })),
    }))
    patchRow(id, (row) => (row.mention ? { ...row, mention: { ...row.mention, isSeen: true } } : row))
    refreshCounts()
  } catch {
    // Opening the ticket again tries again.
  }
}

function refreshCounts(): void {
  void queries.invalidateQueries({ queryKey: queryKeys.counts })
}

function isPageVisible(): boolean {
  return !document.hidden && document.hasFocus()
}

import { createEffect, createSignal, onCleanup } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import { patchRow } from '../list-cache.ts'
import { patchTicket, type TicketDetail } from '../ticket-query.ts'
import { newestMessage } from './thread-rows.ts'

/** A ticket that was only passed by has not been read. */
const READ_AFTER_MS = 1_000

/** Marks the ticket as read once somebody has had it before their eyes for a second. */
export function useReadMark(detail: () => TicketDetail) {
  const { id } = detail().ticket
  const [isLooking, setLooking] = createSignal(isLookedAt())
  const [isLeftUnread, setLeftUnread] = createSignal(false)
  const look = () => setLooking(isLookedAt())
  for (const event of ['focus', 'blur']) window.addEventListener(event, look)
  document.addEventListener('visibilitychange', look)
  onCleanup(() => {
    for (const event of ['focus', 'blur']) window.removeEventListener(event, look)
    document.removeEventListener('visibilitychange', look)
  })

  createEffect(() => {
    const newest = newestMessage(detail().timeline)?.id
    if (!newest || newest === detail().readUpTo || !isLooking() || isLeftUnread()) return
    const timer = setTimeout(() => void markRead(id, newest), READ_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })

  return {
    /** Until the ticket is opened again. */
    async markUnread() {
      setLeftUnread(true)
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
    // Nothing the person could do; the next message tries again.
  }
}

function refreshCounts(): void {
  void queries.invalidateQueries({ queryKey: queryKeys.counts })
}

function isLookedAt(): boolean {
  return !document.hidden && document.hasFocus()
}

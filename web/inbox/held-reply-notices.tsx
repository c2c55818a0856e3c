import { useLocation, useNavigate } from '@solidjs/router'
import { createEffect, onCleanup, untrack } from 'solid-js'
import { announce } from '../ui/announcer.tsx'
import { toastError } from '../ui/toaster.tsx'
import { useCounts } from './inbox-data.ts'
import { hrefOf } from './rail/views.ts'

/** Notifies an agent on any page of each reply put on hold because someone wrote first. */
export function HeldReplyNotices() {
  const counts = useCounts()
  const navigate = useNavigate()
  const location = useLocation()
  const openNotices = new Map<string, () => void>()
  /** Replies held when the page was opened are in their view, without a notice. */
  let known: Set<string> | undefined

  createEffect(() => {
    const held = counts()?.heldReplies
    if (!held) return
    const ids = new Set(held.map(({ id }) => id))
    for (const [id, close] of openNotices) if (!ids.has(id)) end(id, close)
    const fresh = known ? held.filter(({ id }) => !known?.has(id)) : []
    known = ids
    for (const { id, ticketId, customer, answeredBy, because } of fresh) {
      const first = because === 'answered' ? `${answeredBy || 'A colleague'} replied` : `${customer} wrote`
      const sentence = `${first} first, so your reply to ${customer} is on hold.`
      // The open ticket shows it already.
      if (untrack(() => location.pathname).endsWith(ticketId)) announce(sentence)
      else openNotices.set(id, toastError(sentence, { text: 'Open', run: () => open(ticketId) }))
    }
  })

  function end(id: string, close: () => void): void {
    close()
    openNotices.delete(id)
  }

  function open(ticketId: string): void {
    navigate(hrefOf('held', { ticketId }), { scroll: false })
  }

  onCleanup(() => {
    for (const [id, close] of openNotices) end(id, close)
  })
  return null
}

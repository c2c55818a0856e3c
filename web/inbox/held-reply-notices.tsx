import { useLocation, useNavigate } from '@solidjs/router'
import { createEffect, onCleanup, untrack } from 'solid-js'
import { announce } from '../ui/announcer.tsx'
import { toastError } from '../ui/toaster.tsx'
import { useCounts } from './inbox-data.ts'
import { hrefOf } from './rail/views.ts'

/** Tells an agent, wherever they are by then, of each reply that was not sent because somebody else was faster. */
export function HeldNotices() {
  const counts = useCounts()
  const navigate = useNavigate()
  const location = useLocation()
  const closing = new Map<string, () => void>()
  /** What was held when the page was opened stands in its list. */
  let known: Set<string> | undefined

  createEffect(() => {
    const held = counts()?.heldReplies
    if (!held) return
    const ids = new Set(held.map(({ id }) => id))
    for (const [id, close] of closing) if (!ids.has(id)) end(id, close)
    const news = known ? held.filter(({ id }) => !known?.has(id)) : []
    known = ids
    for (const { id, ticketId, customer, answeredBy } of news) {
      const sentence = `${answeredBy || 'Somebody'} answered first. Your reply to ${customer} is held.`
      // The open ticket shows it by itself.
      if (untrack(() => location.pathname).endsWith(ticketId)) announce(sentence)
      else closing.set(id, toastError(sentence, { text: 'Open', run: () => open(ticketId) }))
    }
  })

  function end(id: string, close: () => void): void {
    close()
    closing.delete(id)
  }

  function open(ticketId: string): void {
    navigate(hrefOf('held', { ticketId }), { scroll: false })
  }

  onCleanup(() => {
    for (const [id, close] of closing) end(id, close)
  })
  return null
}

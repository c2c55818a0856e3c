import { useNavigate } from '@solidjs/router'
import { createEffect, createMemo, onCleanup } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { observe, queries } from '../api/queries.ts'
import { toServerTime } from '../api/server-clock.ts'
import { areNotificationsOn } from '../browser/notification-setting.ts'
import { ticketQuery } from '../ticket/ticket-query.ts'
import { type Row, useCounts } from './inbox-data.ts'
import type { InboxLocation } from './location.ts'
import { hrefOf } from './rail/views.ts'

/** Several changes in quick succession are one request. */
const PAUSE_MS = 1_000
/** The count in the title covers the rest. */
const MAX_AT_ONCE = 3
const LISTS = ['status:open assigned:me is:unread', 'status:open assigned:none is:unread']

/** Notifies of customers' messages on my tickets and on unassigned ones while the page is hidden. */
export function useNotifications(): void {
  const navigate = useNavigate()
  createEffect(() => {
    if (!areNotificationsOn()) return
    let since = serverTime()
    let timer: ReturnType<typeof setTimeout> | undefined
    const check = async () => {
      timer = undefined
      const rows = await newMessagesSince(since).catch(() => [])
      since = [since, ...rows.map(({ lastMessageAt }) => lastMessageAt)].sort().at(-1) ?? since
      if (document.hidden) for (const row of rows.slice(0, MAX_AT_ONCE)) notify(row, navigate)
    }
    // Live updates refresh the counts: something may have arrived.
    const stop = queries.getQueryCache().subscribe(({ type, query }) => {
      const isCounts =
        type === 'updated' && query.queryKey[0] === 'counts' && query.state.status === 'success'
      if (isCounts && document.hidden) timer ??= setTimeout(() => void check(), PAUSE_MS)
    })
    const onVisibilityChange = () => {
      since = serverTime()
    }
    document.addEventListener('visibilitychange', onVisibilityChange)
    onCleanup(() => {
      document.removeEventListener('visibilitychange', onVisibilityChange)
      stop()
      clearTimeout(timer)
    })
  })
}

/** Messages have times of the server: a browser whose clock is ahead would take them for old ones. */
function serverTime(): string {
  return new Date(toServerTime(Date.now())).toISOString()
}

async function newMessagesSince(since: string): Promise<Row[]> {
  const pages = await Promise.all(LISTS.map((q) => ask(api.console.tickets.get({ query: { q, limit: 10 } }))))
  const rows = pages.flatMap(({ data }) => data)
  return rows.filter(({ preview, lastMessageAt }) => preview.role === 'customer' && lastMessageAt > since)
}

function notify(row: Row, open: (href: string) => void): void {
  const notification = new Notification(row.customer.name || 'New message', {
    body: `${row.subject}\n${row.preview.text}`,
    icon: '/bell.svg',
    // A newer message of the same ticket replaces the older one.
    tag: row.id,
  })
  notification.onclick = () => {
    window.focus()
    open(hrefOf(row.assignedTo ? 'mine' : 'unassigned', { ticketId: row.id }))
    notification.close()
  }
}

const APP_NAME = 'Bellhop'

/** Titles the tab after the open ticket or view, with the number of the agent's open tickets: "(4) Invoice – Bellhop". */
export function usePageTitle(location: InboxLocation): void {
  const counts = useCounts()
  // Only follows the cache: the ticket pane loads the ticket.
  const ticket = observe(() => ({ ...ticketQuery(location.ticketId() ?? ''), enabled: false }))
  const name = createMemo(() =>
    location.ticketId() === undefined
      ? location.view()?.name
      : (ticket().data?.ticket.subject ?? location.view()?.name),
  )
  createEffect(() => {
    const mine = counts()?.views.mine ?? 0
    const title = name() ? `${name()} – ${APP_NAME}` : APP_NAME
    document.title = mine > 0 ? `(${mine}) ${title}` : title
  })
  onCleanup(() => {
    document.title = APP_NAME
  })
}

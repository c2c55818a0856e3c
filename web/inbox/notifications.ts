import { useNavigate } from '@solidjs/router'
import { createEffect, createSignal, onCleanup } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { readStored, store } from '../browser/local-storage.ts'
import type { Row } from './inbox-data.ts'
import { hrefOf } from './rail/views.ts'

const KEY = 'bellhop.notifications'
/** Several changes in a row are one look at the server. */
const PAUSE_MS = 1_000
/** More are summed up by the number in the title. */
const MOST_AT_ONCE = 3
const LISTS = ['status:open assigned:me is:unread', 'status:open assigned:none is:unread']

const [isOn, setOn] = createSignal(readStored(KEY, (value) => typeof value === 'boolean', false))

export function canNotify(): boolean {
  return 'Notification' in window
}

/** Wanted here, and allowed by the browser. */
export function areNotificationsOn(): boolean {
  return isOn() && canNotify() && Notification.permission === 'granted'
}

/** The browser asks for permission only here, after a click. */
export async function switchNotifications(wanted: boolean): Promise<void> {
  const isAllowed = wanted && (await Notification.requestPermission()) === 'granted'
  setOn(isAllowed)
  store(KEY, isAllowed)
}

/** Tells of a customer's message on my tickets, and on nobody's, while the page is not looked at. */
export function useNotifications(): void {
  const navigate = useNavigate()
  createEffect(() => {
    if (!areNotificationsOn()) return
    let since = new Date().toISOString()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      timer = undefined
      const news = await newsSince(since).catch(() => [])
      since = [since, ...news.map(({ lastMessageAt }) => lastMessageAt)].sort().at(-1) ?? since
      if (document.hidden) for (const row of news.slice(0, MOST_AT_ONCE)) notify(row, navigate)
    }
    // Live hints refresh the counts: that is when something may have come in.
    const stop = queries.getQueryCache().subscribe(({ type, query }) => {
      const isCounts =
        type === 'updated' && query.queryKey[0] === 'counts' && query.state.status === 'success'
      if (isCounts && document.hidden) timer ??= setTimeout(() => void look(), PAUSE_MS)
    })
    const looked = () => {
      since = new Date().toISOString()
    }
    document.addEventListener('visibilitychange', looked)
    onCleanup(() => {
      document.removeEventListener('visibilitychange', looked)
      stop()
      clearTimeout(timer)
    })
  })
}

async function newsSince(since: string): Promise<Row[]> {
  const pages = await Promise.all(LISTS.map((q) => ask(api.console.tickets.get({ query: { q, limit: 10 } }))))
  const rows = pages.flatMap(({ data }) => data)
  return rows.filter(({ preview, lastMessageAt }) => preview.role === 'customer' && lastMessageAt > since)
}

function notify(row: Row, open: (href: string) => void): void {
  const notification = new Notification(row.customer.name || 'New message', {
    body: `${row.subject}\n${row.preview.text}`,
    icon: '/bell.svg',
    // A newer message of the same ticket takes the place of the older.
    tag: row.id,
  })
  notification.onclick = () => {
    window.focus()
    open(hrefOf(row.assignedTo ? 'mine' : 'unassigned', { ticketId: row.id }))
    notification.close()
  }
}

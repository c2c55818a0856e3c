import { createSignal } from 'solid-js'
import { api, ask } from '../api/api.ts'
import type { LiveEvent } from './event-source.ts'

type Presence = Extract<LiveEvent, { event: 'presence' }>['data']
export type PresentAgent = Presence['tickets'][string][number]

const REPEAT_EVERY_MS = 20_000
/** Telegram shows "typing…" a little longer. */
const TYPING_EVERY_MS = 4_000
/** A ticket shown for less time than this, such as while moving down the list, is not announced. */
const DEBOUNCE_MS = 300

const [presence, setPresence] = createSignal<Presence>({ online: [], tickets: {} })

/** Identifies this tab to the server. */
export const PAGE_ID = crypto.getRandomValues(new Uint32Array(3)).join('-')

export { setPresence }
/** Ids of the agents who have Bellhop open. */
export const online = () => presence().online
/** Agents who have the ticket open, including this one. */
export const agentsAt = (ticketId: string): PresentAgent[] => presence().tickets[ticketId] ?? []

/** Whether the visitor of the widget who opened the ticket is typing. */
export const isVisitorTyping = (ticketId: string): boolean => presence().typing?.includes(ticketId) ?? false

let current: { ticketId: string | null; state: PresentAgent['state'] } = { ticketId: null, state: 'viewing' }
let timer: ReturnType<typeof setTimeout> | undefined

/** Announces which ticket this tab shows, and whether the agent is replying. Repeats it until the next call. */
export function announcePresence(ticketId: string | null, state: PresentAgent['state']): void {
  const isChanged = ticketId !== current.ticketId || state !== current.state
  current = { ticketId, state }
  if (isChanged) announceIn(DEBOUNCE_MS)
}

let typedAt = Number.NEGATIVE_INFINITY

/** Shows the customer that the agent is typing a reply. Call it for each change of the text. */
export function announceTyping(ticketId: string): void {
  if (performance.now() - typedAt < TYPING_EVERY_MS) return
  typedAt = performance.now()
  void send({ ticketId, state: 'replying', isTyping: true })
}

/** Announces it again. A restarted server doesn't know it. */
export function repeatPresence(): void {
  announceIn(0)
}

/** Announces at once when the page is closed, hidden or shown again. */
export function watchVisibility(): void {
  addEventListener('pagehide', () => {
    if (current.ticketId !== null) void send({ ticketId: null, state: 'viewing' })
  })
  document.addEventListener('visibilitychange', () => {
    if (current.ticketId !== null) announceIn(0)
  })
}

function announceIn(milliseconds: number): void {
  clearTimeout(timer)
  timer = setTimeout(announce, milliseconds)
}

function announce(): void {
  // A hidden tab doesn't count as viewing, but a started reply still counts as replying.
  const isPresent = !document.hidden || current.state === 'replying'
  void send(isPresent ? current : { ticketId: null, state: 'viewing' })
  announceIn(REPEAT_EVERY_MS)
}

/** With `keepalive`, the request outlives the page. If it fails, the next repetition corrects it. */
async function send(announcement: typeof current & { isTyping?: true }): Promise<void> {
  const sent = api.console.presence.post({ pageId: PAGE_ID, ...announcement }, { fetch: { keepalive: true } })
  await ask(sent).catch(() => {})
}

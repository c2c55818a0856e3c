import { createSignal } from 'solid-js'
import { api, ask } from '../api/api.ts'
import type { LiveEvent } from './event-source.ts'

type Picture = Extract<LiveEvent, { event: 'presence' }>['data']
export type Here = Picture['tickets'][string][number]

const REPEAT_EVERY_MS = 20_000
/** Whoever runs down the list with a key is not at each ticket. */
const SETTLED_MS = 300

const [picture, setPicture] = createSignal<Picture>({ online: [], tickets: {} })

/** Names this tab to the server. */
export const PAGE_ID = crypto.getRandomValues(new Uint32Array(3)).join('-')

export const showPicture = setPicture
/** Ids of the agents who have Bellhop open. */
export const online = () => picture().online
/** Who has the ticket open, this agent too. */
export const everybodyAt = (ticketId: string): Here[] => picture().tickets[ticketId] ?? []

let said: { ticketId: string | null; state: Here['state'] } = { ticketId: null, state: 'viewing' }
let timer: ReturnType<typeof setTimeout> | undefined

/** Says which ticket this tab shows, and whether its agent is writing an answer. Says so again until told otherwise. */
export function announcePresence(ticketId: string | null, state: Here['state']): void {
  const isNews = ticketId !== said.ticketId || state !== said.state
  said = { ticketId, state }
  if (isNews) sayIn(SETTLED_MS)
}

/** A new server, or one that was away for long, has forgotten. */
export function announceAgain(): void {
  sayIn(0)
}

/** Leaving is said at once; a request of its own outlives the page. */
export function watchLeaving(): void {
  addEventListener('pagehide', () => {
    if (said.ticketId !== null) void send({ ticketId: null, state: 'viewing' })
  })
  document.addEventListener('visibilitychange', () => {
    if (said.ticketId !== null) sayIn(0)
  })
}

function sayIn(milliseconds: number): void {
  clearTimeout(timer)
  timer = setTimeout(say, milliseconds)
}

function say(): void {
  // A tab in the background shows a ticket to nobody; what is being written there still is.
  const isLooking = !document.hidden || said.state === 'replying'
  void send(isLooking ? said : { ticketId: null, state: 'viewing' })
  sayIn(REPEAT_EVERY_MS)
}

/** A hint that does not arrive is repeated anyway. */
async function send(announcement: typeof said): Promise<void> {
  const sent = api.console.presence.post({ pageId: PAGE_ID, ...announcement }, { fetch: { keepalive: true } })
  await ask(sent).catch(() => {})
}

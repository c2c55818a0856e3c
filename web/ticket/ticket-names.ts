import type { Tone } from '../ui/badge.tsx'
import { comingTime } from './thread/times.ts'
import type { ReplyDestination, Ticket, TicketStatus } from './ticket-query.ts'

type Channel = Ticket['channel']

/** Where tickets come from. */
export function channelName(channel: Channel): string {
  return CHANNEL_NAMES[channel] ?? channel
}

const CHANNEL_NAMES: Partial<Record<Channel, string>> = {
  api: 'API',
  email: 'Email',
  telegram: 'Telegram',
  widget: 'Website widget',
}

/** Answers appear at once where the customer reads them. */
export function isChat(channel: Channel | ReplyDestination['by']): boolean {
  return channel === 'widget' || channel === 'telegram'
}

/** The name and color of each status. */
export const STATUSES: Record<TicketStatus, { name: string; tone: Tone }> = {
  open: { name: 'Open', tone: 'green' },
  pending: { name: 'Pending', tone: 'amber' },
  resolved: { name: 'Resolved', tone: 'grey' },
}

/** The end of a ticket's id, which people write and search for: "#m4k2p9". */
export function shortId(id: string): string {
  return `#${id.slice(-6)}`
}

/** "1 ticket", "1,204 tickets", "2 replies" */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`
}

interface SnoozeNote {
  by: string
  why: string
  until: string
  isOver: boolean
}

/** "Snoozed by Nora until Thu 26 Nov, 09:00: call the carrier". Without the name, there is room for the reason in a row. */
export function snoozeText({ by, why, until, isOver }: SnoozeNote, isInRow = false): string {
  const at = new Date(until)
  const isToday = at.toDateString() === new Date().toDateString()
  const time = isOver && isToday ? 'today' : comingTime(at)
  return `${isInRow && !isOver ? 'Until' : `Snoozed by ${by} until`} ${time}${why ? `: ${why}` : ''}`
}

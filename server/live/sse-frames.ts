import type { LogEvent } from '../database/tables/events.ts'
import type { LoggedEvent } from '../events/events.ts'
import type { PresenceSnapshot } from './presence.ts'

/** Bytes of an event stream, encoded once for all pages. */
export type Frame = Uint8Array

/** The events of the stream and their data. */
export type LiveEvent =
  | { event: 'hello' | 'reset'; data: { number: number } }
  | { event: 'changed'; data: { type: LogEvent; ticketId: string } }
  | { event: 'presence'; data: PresenceSnapshot }
  /** What is known of the visitors who wrote these tickets has changed, such as the page they are on. */
  | { event: 'visitors'; data: { ticketIds: string[] } }
  | { event: 'beat' | 'signed-out'; data: Record<string, never> }

/**
 * Keeps a proxy from closing an idle connection. It contains an event, because a page can't see comments: a page that
 * gets no event for too long knows that its connection is lost.
 */
export const HEARTBEAT: Frame = bytes(`: heartbeat\n${text({ event: 'beat', data: {} })}`)

/** The newest event number. Data that is read after this is at least as new. */
export function helloFrame(number: number): Frame {
  return bytes(text({ event: 'hello', data: { number } }, number))
}

/** Tells the page to read everything again, because it has missed too many events. */
export function resetFrame(number: number): Frame {
  return bytes(text({ event: 'reset', data: { number } }, number))
}

export function changedFrame(events: LoggedEvent[]): Frame {
  return bytes(
    events
      .map(({ number, type, ticketId }) => text({ event: 'changed', data: { type, ticketId } }, number))
      .join(''),
  )
}

export function presenceFrame(presence: PresenceSnapshot): Frame {
  return bytes(text({ event: 'presence', data: presence }))
}

export function visitorsFrame(ticketIds: string[]): Frame {
  return bytes(text({ event: 'visitors', data: { ticketIds } }))
}

export const SIGNED_OUT: Frame = bytes(text({ event: 'signed-out', data: {} }))

/** `number` becomes the event id, which a browser repeats in `Last-Event-ID` when it reconnects. */
function text({ event, data }: LiveEvent, number?: number): string {
  const id = number === undefined ? '' : `id: ${number}\n`
  return `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

function bytes(text: string): Frame {
  return new TextEncoder().encode(text)
}

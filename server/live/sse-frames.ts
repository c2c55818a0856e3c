import type { LogEvent } from '../database/tables/events.ts'
import type { LoggedEvent } from '../events/events.ts'
import type { Picture } from './presence.ts'

/** Bytes of an event stream, made once for all pages that get them. */
export type Frame = Uint8Array

/** What the stream tells: the name of each event with its data. */
export type LiveEvent =
  | { event: 'hello' | 'reset'; data: { number: number } }
  | { event: 'changed'; data: { type: LogEvent; ticketId: string } }
  | { event: 'presence'; data: Picture }
  | { event: 'beat' | 'signed-out'; data: Record<string, never> }

/**
 * Keeps connections open that a proxy would close for being quiet. An event besides the comment, for a page is not told
 * of comments: one that hears nothing for too long knows that its connection is gone.
 */
export const HEARTBEAT: Frame = bytes(`: still here\n${text({ event: 'beat', data: {} })}`)

/** Where the log stands: what is read after this is not older. */
export function helloFrame(number: number): Frame {
  return bytes(text({ event: 'hello', data: { number } }, number))
}

/** Too much has happened, or too long ago: everything is to be read again. */
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

export function presenceFrame(picture: Picture): Frame {
  return bytes(text({ event: 'presence', data: picture }))
}

export const SIGNED_OUT: Frame = bytes(text({ event: 'signed-out', data: {} }))

/** `number` becomes the id, which a browser says again when it reconnects. */
function text({ event, data }: LiveEvent, number?: number): string {
  const id = number === undefined ? '' : `id: ${number}\n`
  return `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

function bytes(text: string): Frame {
  return new TextEncoder().encode(text)
}

import type { LoggedEvent } from '../events/events.ts'
import type { Picture } from './presence.ts'

/** Bytes of an event stream, made once for all pages that get them. */
export type Frame = Uint8Array

/** Keeps connections open that a proxy or the server would close for being quiet. */
export const HEARTBEAT: Frame = bytes(': still here\n\n')

/** Where the log stands: what is read after this is not older. */
export function helloFrame(number: number): Frame {
  return bytes(event('hello', { number }, number))
}

/** Too much has happened, or too long ago: everything is to be read again. */
export function resetFrame(number: number): Frame {
  return bytes(event('reset', { number }, number))
}

export function changedFrame(events: LoggedEvent[]): Frame {
  return bytes(
    events.map(({ number, type, ticketId }) => event('changed', { type, ticketId }, number)).join(''),
  )
}

export function presenceFrame(picture: Picture): Frame {
  return bytes(event('presence', picture))
}

export const SIGNED_OUT: Frame = bytes(event('signed-out', {}))

function event(name: string, data: object, number?: number): string {
  const id = number === undefined ? '' : `id: ${number}\n`
  return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

function bytes(text: string): Frame {
  return new TextEncoder().encode(text)
}

import { createSignal } from 'solid-js'
import type { TicketStatus } from './ticket-data.ts'

/** What Send does to the status. */
export const SEND_CHOICES = [
  { id: 'send', label: 'Send', thenStatus: undefined },
  { id: 'resolve', label: 'Send and resolve', thenStatus: 'resolved' },
  { id: 'pending', label: 'Send and set pending', thenStatus: 'pending' },
] as const satisfies readonly { id: string; label: string; thenStatus: TicketStatus | undefined }[]

export type SendChoice = (typeof SEND_CHOICES)[number]

const KEY = 'bellhop.send'

const [chosen, setChosen] = createSignal<SendChoice>(read())

/** What the button does: the last choice of this browser. */
export const sendChoice = chosen

export function chooseSend(next: SendChoice): void {
  setChosen(next)
  try {
    localStorage.setItem(KEY, next.id)
  } catch {
    // Then it is remembered until the page is closed.
  }
}

function read(): SendChoice {
  try {
    const id = localStorage.getItem(KEY)
    return SEND_CHOICES.find((known) => known.id === id) ?? SEND_CHOICES[0]
  } catch {
    return SEND_CHOICES[0]
  }
}

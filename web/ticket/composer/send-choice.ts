import { createSignal } from 'solid-js'
import { readStored, store } from '../../browser/local-storage.ts'
import type { TicketStatus } from '../ticket-query.ts'

/** What Send does to the status. */
export const SEND_CHOICES = [
  { id: 'send', label: 'Send', thenStatus: undefined },
  { id: 'resolve', label: 'Send and resolve', thenStatus: 'resolved' },
  { id: 'pending', label: 'Send and set pending', thenStatus: 'pending' },
] as const satisfies readonly { id: string; label: string; thenStatus: TicketStatus | undefined }[]

export type SendChoice = (typeof SEND_CHOICES)[number]

const KEY = 'bellhop.send'

const [chosen, setChosen] = createSignal(choiceOf(readStored(KEY, isId, 'send')))

/** The last choice in this browser. */
export const sendChoice = chosen

export function chooseSend(next: SendChoice): void {
  setChosen(next)
  store(KEY, next.id)
}

function choiceOf(id: SendChoice['id']): SendChoice {
  return SEND_CHOICES.find((known) => known.id === id) ?? SEND_CHOICES[0]
}

function isId(value: unknown): value is SendChoice['id'] {
  return SEND_CHOICES.some(({ id }) => id === value)
}

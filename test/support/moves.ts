import type { Client } from './bellhop.ts'

export interface MoveJson {
  id: string
  kind: string
  from: string
  into: string
  createdAt: string
  undoneAt?: string
}

export function mergeTickets(client: Client, into: string, from: string) {
  return client.call<MoveJson>('POST', `/tickets/${into}/merge`, { body: { from } })
}

export function undoMove(client: Client, id: string) {
  return client.call<MoveJson>('POST', `/moves/${id}/undo`)
}

import type { Answer, api } from '../api.ts'

type BulkCall = typeof api.console.bulk.post
type BulkItem = Parameters<BulkCall>[0]['items'][number]
/** What may be changed of a ticket: `{ status: 'resolved' }`, `{ assignedTo: null }`, `{ addTags: ['vip'] }`. */
export type TicketChange = BulkItem['change']
export type Before = Answer<BulkCall>['data'][number]['before']

/** What of a ticket such a change is seen in. */
export interface Changeable {
  id: string
  status: NonNullable<TicketChange['status']>
  assignedTo?: string
  tags: string[]
  isSpam: boolean
}

/** Changes the server has not confirmed yet, oldest first. */
let pending: { id: string; change: TicketChange }[] = []

/** Shows a change until the server has it. Answers how to end that. */
export function holdPending(id: string, change: TicketChange): () => void {
  const held = { id, change }
  pending = [...pending, held]
  return () => {
    pending = pending.filter((other) => other !== held)
  }
}

/** A ticket or row as it came from the server, with what is on its way there: else a refresh in between would undo it. */
export function withPending<Row extends Changeable>(row: Row): Row {
  return pending.filter(({ id }) => id === row.id).reduce((now, { change }) => changed(now, change), row)
}

/** A ticket after a change. */
export function changed<Row extends Changeable>(row: Row, change: TicketChange): Row {
  const { status = row.status, assignedTo, isSpam = row.isSpam } = change
  const assignee = assignedTo === undefined ? row.assignedTo : (assignedTo ?? undefined)
  const kept = (change.tags ?? row.tags).filter((tag) => !change.removeTags?.includes(tag))
  const tags = [...new Set([...kept, ...(change.addTags ?? [])])]
  return { ...row, status, assignedTo: assignee || undefined, tags, isSpam }
}

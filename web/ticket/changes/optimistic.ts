import type { Answer, api } from '../../api/api.ts'

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

/** Changes the server has not confirmed yet, by ticket, oldest first. */
const pending = new Map<string, readonly TicketChange[]>()

/** Shows a change until the server has it. Answers how to end that. */
export function holdPending(id: string, change: TicketChange): () => void {
  pending.set(id, [...(pending.get(id) ?? []), change])
  return () => {
    const others = pending.get(id)?.filter((other) => other !== change) ?? []
    if (others.length > 0) pending.set(id, others)
    else pending.delete(id)
  }
}

/** Whether a change of this page is on its way to the server. */
export function isPending(ticketId: string): boolean {
  return pending.has(ticketId)
}

/** A ticket or row as it came from the server, with what is on its way there: else a refresh in between would undo it. */
export function withPending<Row extends Changeable>(row: Row): Row {
  return pending.get(row.id)?.reduce((now, change) => changed(now, change), row) ?? row
}

/** A ticket after a change. */
export function changed<Row extends Changeable>(row: Row, change: TicketChange): Row {
  const { status = row.status, assignedTo, isSpam = row.isSpam } = change
  const assignee = assignedTo === undefined ? row.assignedTo : (assignedTo ?? undefined)
  const kept = (change.tags ?? row.tags).filter((tag) => !change.removeTags?.includes(tag))
  const tags = [...new Set([...kept, ...(change.addTags ?? [])])]
  return { ...row, status, assignedTo: assignee || undefined, tags, isSpam }
}

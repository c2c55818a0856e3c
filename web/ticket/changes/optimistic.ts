import type { Answer, api } from '../../api/api.ts'

type BulkCall = typeof api.console.bulk.post
type BulkItem = Parameters<BulkCall>[0]['items'][number]
/** Fields of a ticket to change: `{ status: 'resolved' }`, `{ assignedTo: null }`, `{ addTags: ['vip'] }`. */
export type TicketChange = BulkItem['change']
export type Before = Answer<BulkCall>['data'][number]['before']

/** The fields of a ticket or row that a change affects. */
export interface Changeable {
  id: string
  status: NonNullable<TicketChange['status']>
  assignedTo?: string
  tags: string[]
  isSpam: boolean
  snoozedUntil?: string | undefined
}

/** Changes the server has not confirmed yet, by ticket, oldest first. */
const pending = new Map<string, readonly TicketChange[]>()

/** Keeps a change applied to everything read from the server. Returns the function that stops it. */
export function holdPending(id: string, change: TicketChange): () => void {
  pending.set(id, [...(pending.get(id) ?? []), change])
  return () => {
    const others = pending.get(id)?.filter((other) => other !== change) ?? []
    if (others.length > 0) pending.set(id, others)
    else pending.delete(id)
  }
}

/** Whether this page waits for the server to confirm a change. */
export function isPending(ticketId: string): boolean {
  return pending.has(ticketId)
}

/** A ticket or row from the server with the unconfirmed changes applied, so that a refresh doesn't revert them. */
export function withPending<Row extends Changeable>(row: Row): Row {
  return pending.get(row.id)?.reduce((now, change) => withChange(now, change), row) ?? row
}

/** A copy of the ticket or row with the change applied. */
export function withChange<Row extends Changeable>(row: Row, change: TicketChange): Row {
  const { status = row.status, assignedTo, isSpam = row.isSpam } = change
  const assignee = assignedTo === undefined ? row.assignedTo : (assignedTo ?? undefined)
  const kept = (change.tags ?? row.tags).filter((tag) => !change.removeTags?.includes(tag))
  const tags = [...new Set([...kept, ...(change.addTags ?? [])])]
  const snoozedUntil = change.snoozedUntil === undefined ? row.snoozedUntil : change.snoozedUntil
  return {
    ...row,
    snoozedUntil: snoozedUntil ?? undefined,
    status,
    assignedTo: assignee || undefined,
    tags,
    isSpam,
  }
}

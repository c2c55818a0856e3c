import { isoTime } from '../dates.ts'
import type { Move } from './moved-rows.ts'

export function viewMove({ id, kind, fromId, intoId, createdAt, undoneAt }: Move) {
  return {
    id,
    kind,
    from: fromId,
    into: intoId,
    createdAt: isoTime(createdAt),
    ...(undoneAt !== null && { undoneAt: isoTime(undoneAt) }),
  }
}

import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { patchRows, rowsById } from '../list-cache.ts'
import { knownTicket, patchTicket, readTicketAgain } from '../ticket-query.ts'
import {
  type Before,
  type Changeable,
  holdPending,
  type TicketChange,
  withChange,
  withPending,
} from './optimistic.ts'

interface Item {
  id: string
  change: TicketChange
}

/** The result of changes: how to revert those that were made, and the ids of the others with the reason. */
export interface Outcome {
  before: { id: string; before: Before }[]
  rest: string[]
  /** Set if `rest` isn't empty. */
  error?: unknown
}

/** Limits of one request. The server accepts 256 KiB. */
const MAX_ITEMS = 500
const MAX_BYTES = 200_000

/** Changes tickets: shown at once, and rolled back where the server refuses. Never throws. */
export async function applyChanges(items: Item[]): Promise<Outcome> {
  const parts = await Promise.all(chunks(items).map(applyPart))
  const rest = parts.flatMap((part) => part.rest)
  // A lost response doesn't say what was changed.
  if (rest.length > 0) {
    for (const queryKey of [queryKeys.tickets, queryKeys.counts]) void queries.invalidateQueries({ queryKey })
  }
  return {
    before: parts.flatMap(({ before }) => before),
    rest,
    error: parts.find(({ error }) => error !== undefined)?.error,
  }
}

/** The server may stop part of the way. Sent the rest again, it continues or returns the reason. */
async function applyPart(items: Item[]): Promise<Outcome> {
  const shown = show(items)
  const before: Outcome['before'] = []
  let rest = items
  let error: unknown
  try {
    while (rest.length > 0) {
      const answer = await ask(api.console.bulk.post({ items: rest }))
      before.push(...answer.data)
      const remaining = new Set(answer.rest)
      shown.confirm((id) => !remaining.has(id))
      rest = rest.filter(({ id }) => remaining.has(id))
    }
  } catch (reason) {
    error = reason
    const refused = new Set(rest.map(({ id }) => id))
    shown.refuse((id) => refused.has(id))
  }
  for (const { id } of items) void readTicketAgain(id)
  return { before, rest: rest.map(({ id }) => id), error }
}

/** Applies the changes everywhere on the page. The caller then confirms or reverts each. */
function show(items: Item[]) {
  const rows = rowsById()
  const held = items.map(({ id, change }) => ({
    id,
    before: knownTicket(id)?.ticket ?? rows.get(id),
    release: holdPending(id, change),
  }))
  patchEverywhere(items.map(({ id, change }) => [id, (row) => withChange(row, change)]))
  const end = (isIncluded: (id: string) => boolean) => {
    const ended = held.filter(({ id }) => isIncluded(id))
    for (const { release } of ended) release()
    return ended
  }
  return {
    confirm: end,
    refuse(isIncluded: (id: string) => boolean): void {
      patchEverywhere(
        end(isIncluded).flatMap(({ id, before }): [string, Patch][] => {
          if (!before) return []
          const { status, assignedTo, tags, isSpam } = before
          return [[id, (row) => withPending({ ...row, status, assignedTo, tags, isSpam })]]
        }),
      )
    },
  }
}

type Patch = <Row extends Changeable>(row: Row) => Row

function patchEverywhere(patches: [string, Patch][]): void {
  for (const [id, patch] of patches) {
    patchTicket(id, (known) => ({ ...known, ticket: patch(known.ticket) }))
  }
  patchRows(new Map(patches))
}

/** Splits the changes into requests. An Undo sends all tags of its tickets, so size counts too. */
function chunks(items: Item[]): Item[][] {
  const all: Item[][] = []
  let bytes = 0
  for (const item of items) {
    const size = new TextEncoder().encode(JSON.stringify(item)).length
    const last = all.at(-1)
    if (last && last.length < MAX_ITEMS && bytes + size <= MAX_BYTES) {
      last.push(item)
      bytes += size
    } else {
      all.push([item])
      bytes = size
    }
  }
  return all
}

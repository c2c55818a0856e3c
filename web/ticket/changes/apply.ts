import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { patchRows, rowsById } from '../list-cache.ts'
import { knownTicket, patchTicket, readTicketAgain } from '../ticket-query.ts'
import {
  type Before,
  type Changeable,
  changed,
  holdPending,
  type TicketChange,
  withPending,
} from './optimistic.ts'

export interface Item {
  id: string
  change: TicketChange
}

/** What came of changes: of those that were done what takes them back, and the ids of the others with the reason. */
export interface Outcome {
  before: { id: string; before: Before }[]
  rest: string[]
  /** Only with a rest. */
  error?: unknown
}

/** What one request may change, and how long it may be: the server takes 256 KiB. */
const MOST_ITEMS = 500
const MOST_BYTES = 200_000

/** Changes tickets: on the screen at once, and back again where the server refuses. Never throws. */
export async function applyChanges(items: Item[]): Promise<Outcome> {
  const parts = await Promise.all(chunks(items).map(applyPart))
  const rest = parts.flatMap((part) => part.rest)
  // An answer that was lost does not say what was done.
  if (rest.length > 0) {
    for (const queryKey of [queryKeys.tickets, queryKeys.counts]) void queries.invalidateQueries({ queryKey })
  }
  return {
    before: parts.flatMap(({ before }) => before),
    rest,
    error: parts.find(({ error }) => error !== undefined)?.error,
  }
}

/** The server may stop on the way: asked for the rest alone, it goes on or says why not. */
async function applyPart(items: Item[]): Promise<Outcome> {
  const shown = show(items)
  const before: Outcome['before'] = []
  let rest = items
  let error: unknown
  try {
    while (rest.length > 0) {
      const answer = await ask(api.console.bulk.post({ items: rest }))
      before.push(...answer.data)
      const left = new Set(answer.rest)
      shown.confirm((id) => !left.has(id))
      rest = rest.filter(({ id }) => left.has(id))
    }
  } catch (reason) {
    error = reason
    const refused = new Set(rest.map(({ id }) => id))
    shown.refuse((id) => refused.has(id))
  }
  for (const { id } of items) void readTicketAgain(id)
  return { before, rest: rest.map(({ id }) => id), error }
}

/** Shows the changes everywhere at once; how each goes on is up to the server. */
function show(items: Item[]) {
  const rows = rowsById()
  const held = items.map(({ id, change }) => ({
    id,
    before: knownTicket(id)?.ticket ?? rows.get(id),
    release: holdPending(id, change),
  }))
  patchEverywhere(items.map(({ id, change }) => [id, (row) => changed(row, change)]))
  const end = (isMeant: (id: string) => boolean) => {
    const ended = held.filter(({ id }) => isMeant(id))
    for (const { release } of ended) release()
    return ended
  }
  return {
    confirm: end,
    refuse(isMeant: (id: string) => boolean): void {
      patchEverywhere(
        end(isMeant).flatMap(({ id, before }): [string, Patch][] => {
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

/** An Undo carries all tags of its tickets. */
function chunks(items: Item[]): Item[][] {
  const all: Item[][] = []
  let bytes = 0
  for (const item of items) {
    const size = new TextEncoder().encode(JSON.stringify(item)).length
    const last = all.at(-1)
    if (last && last.length < MOST_ITEMS && bytes + size <= MOST_BYTES) {
      last.push(item)
      bytes += size
    } else {
      all.push([item])
      bytes = size
    }
  }
  return all
}

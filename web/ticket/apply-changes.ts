import { api, ask } from '../api.ts'
import { queries } from '../queries.ts'
import {
  type Before,
  type Changeable,
  changed,
  holdPending,
  type TicketChange,
  withPending,
} from './pending.ts'
import { knownRow, patchRows } from './rows.ts'
import { knownTicket, patchTicket, readTicketAgain } from './ticket-data.ts'

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
  if (rest.length > 0) for (const name of ['tickets', 'counts']) readAgain(name)
  return {
    before: parts.flatMap(({ before }) => before),
    rest,
    error: parts.find(({ error }) => error !== undefined)?.error,
  }
}

/** The server may stop on the way: asked for the rest alone, it goes on or says why not. */
async function applyPart(items: Item[]): Promise<Outcome> {
  const shown = new Map(items.map((item) => [item.id, show(item)]))
  const before: Outcome['before'] = []
  let rest = items
  let error: unknown
  try {
    while (rest.length > 0) {
      const answer = await ask(api.console.bulk.post({ items: rest }))
      before.push(...answer.data)
      const left = new Set(answer.rest)
      for (const { id } of rest) if (!left.has(id)) shown.get(id)?.confirm()
      rest = rest.filter(({ id }) => left.has(id))
    }
  } catch (reason) {
    error = reason
    for (const { id } of rest) shown.get(id)?.refuse()
  }
  for (const { id } of items) void readTicketAgain(id)
  return { before, rest: rest.map(({ id }) => id), error }
}

/** Shows one change everywhere; how it goes on is up to the server. */
function show({ id, change }: Item): { confirm(): void; refuse(): void } {
  const before = knownTicket(id)?.ticket ?? knownRow(id)
  const release = holdPending(id, change)
  patchEverywhere(id, (row) => changed(row, change))
  return {
    confirm: release,
    refuse() {
      release()
      if (!before) return
      const { status, assignedTo, tags, isSpam } = before
      patchEverywhere(id, (row) => withPending({ ...row, status, assignedTo, tags, isSpam }))
    },
  }
}

function patchEverywhere(id: string, change: <Row extends Changeable>(row: Row) => Row): void {
  patchTicket(id, (known) => ({ ...known, ticket: change(known.ticket) }))
  patchRows(id, change)
}

function readAgain(name: string): void {
  void queries.invalidateQueries({ queryKey: [name] })
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

import { type Child, startChild, startProduct } from './child.ts'
import { load, rawRequest } from './load.ts'
import { pairs, type Result } from './result.ts'
import { AGENT, fillTickets, makeWorkspace, type Workspace } from './workspace.ts'

const MANY = 1_000_000
const FEW = 1_000
const DEEP_PAGE = 4_000
const LOAD = { connections: 1, milliseconds: 400, status: 200 }
/** One each. */
export const FILTERS = [
  'status=open',
  'channel=email',
  `assignedTo=${AGENT}`,
  'assignedTo=unassigned',
  'tag=vip',
]
const SORTS = ['created_desc', 'updated_desc']
/** Tickets with the tag are unassigned, so the tag and an agent have no ticket in common. */
const COMBINATIONS = [
  'status=open&tag=vip',
  'status=open&channel=email',
  'tag=vip&channel=email&assignedTo=unassigned',
  'spam=false&status=pending&channel=api&tag=vip',
  `status=open&channel=email&assignedTo=${AGENT}`,
  `tag=vip&assignedTo=${AGENT}`,
  'spam=true',
  'spam=false&sort=updated_desc',
]

/**
 * Page 1 with its total at a million tickets against a thousand, for each single filter; combinations of filters against a
 * bare server that reads one range of an index; then a deep page by cursor.
 */
export async function benchList(): Promise<Result[]> {
  const [many, few] = await Promise.all([makeWorkspace(), makeWorkspace()])
  fillTickets(many, MANY)
  fillTickets(few, FEW)
  const [manyServer, fewServer] = await Promise.all([startProduct(many.folder), startProduct(few.folder)])
  const run = async (server: Child, { key }: Workspace, queries: string[]) =>
    (await load(server.port, { ...LOAD, next: listsWith(key, queries) })).p50
  const results: Result[] = []
  for (const filter of ['', ...FILTERS]) {
    for (const sort of SORTS) {
      const query = `sort=${sort}${filter && `&${filter}`}`
      const { ratio, one, other } = await pairs(
        3,
        () => run(manyServer, many, spellings(query)),
        () => run(fewServer, few, spellings(query)),
      )
      results.push({
        name: `list ${query.replace(AGENT, 'an agent')}, page 1 at 1,000,000 / at 1,000`,
        ...atMost(1.3, ratio),
        detail: `${(one * 1000).toFixed(0)} / ${(other * 1000).toFixed(0)} µs`,
      })
    }
  }
  const floor = await startChild('test/bench/floor-list.ts', [many.file, many.orgId])
  for (const query of COMBINATIONS) {
    const { ratio, one, other } = await pairs(
      3,
      () => run(manyServer, many, spellings(query)),
      () => run(floor, many, ['']),
    )
    results.push({
      name: `list ${query.replace(AGENT, 'an agent')}, page 1 at 1,000,000 / one range by a bare server`,
      ...atMost(4, ratio),
      detail: `${(one * 1000).toFixed(0)} / ${(other * 1000).toFixed(0)} µs`,
    })
  }
  const kept = await pairs(
    3,
    () => run(manyServer, many, ['status=open&tag=vip']),
    () => run(floor, many, ['']),
  )
  results.push({
    name: 'the same list again while nothing happens / one range by a bare server',
    ...atMost(2, kept.ratio),
    detail: `${(kept.one * 1000).toFixed(0)} / ${(kept.other * 1000).toFixed(0)} µs`,
  })
  await floor.stop()
  const cursor = await cursorTo(DEEP_PAGE, manyServer, many)
  const { ratio, one, other } = await pairs(
    5,
    () => run(manyServer, many, spellings('sort=created_desc', cursorSpellings(cursor))),
    () => run(manyServer, many, spellings('sort=created_desc')),
  )
  results.push({
    name: `list, page ${DEEP_PAGE} by cursor / page 1`,
    ...atMost(1.3, ratio),
    detail: `${(one * 1000).toFixed(0)} / ${(other * 1000).toFixed(0)} µs`,
  })
  await Promise.all([manyServer.stop(), fewServer.stop()])
  many.remove()
  few.remove()
  return results
}

/** Requests for lists, in turn. */
export function listsWith(key: string, queries: string[]): (number: number) => Uint8Array {
  const headers = { authorization: `Bearer ${key}` }
  const requests = queries.map((query) => rawRequest('GET', `/v1/tickets?${query}`, headers))
  return (number) => requests[number % requests.length] ?? Buffer.alloc(0)
}

const PAGES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map(
  (width) => `page=${'1'.padStart(width, '0')}`,
)

/** The same list in more spellings than the server keeps finished lists, so that each request is read anew. */
export function spellings(query: string, places = PAGES): string[] {
  const widths = PAGES.map((_, place) => place + 2)
  return places.flatMap((place) =>
    widths.flatMap((width) =>
      [23, 24, 25, 26, 27, 28].map(
        (size) => `${query}&per_page=${String(size).padStart(width, '0')}&${place}`,
      ),
    ),
  )
}

/** With one character or another percent-encoded. */
function cursorSpellings(cursor: string): string[] {
  return PAGES.map((_, place) => {
    const code = cursor.charCodeAt(place).toString(16)
    return `cursor=${cursor.slice(0, place)}%${code}${cursor.slice(place + 1)}`
  })
}

function atMost(target: number, measured: number) {
  return { measured, target, unit: 'ratio', wanted: 'at most' } as const
}

async function cursorTo(page: number, server: Child, workspace: Workspace): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/tickets?page=${page - 1}`, {
    headers: { authorization: `Bearer ${workspace.key}` },
  })
  const list: { meta: { nextCursor: string } } = await response.json()
  return list.meta.nextCursor
}

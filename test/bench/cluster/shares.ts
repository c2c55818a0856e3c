import { pidsOfTree } from '../child.ts'
import { listsWith, spellings } from '../list.ts'
import { type LoadResult, load, rawRequest } from '../load.ts'
import { median, type Result } from '../result.ts'
import { type BenchNodes, TICKETS } from './bench-nodes.ts'
import type { ProcessorLimits } from './processor-limits.ts'

/** Three of these, PostgreSQL and the client fit on two cores. */
const CORES_OF_NODE = 0.2
const CORES_OF_POSTGRES = 0.8
/** Of all nodes together. */
const CONNECTIONS = 48
const ROUNDS = 3
const READS = { milliseconds: 1_200, status: 200 }
const CREATES = { milliseconds: 1_800, status: 201 }
/** So that queries are planned and code is compiled. */
const WARMING_MS = 1_500
/** What a load leaves to do is done by then. */
const SETTLING_MS = 300

/** By the number of nodes, against one of them. */
const TARGETS = [
  { nodes: 2, reads: 1.8, creates: 1.6 },
  { nodes: 3, reads: 2.5, creates: 2 },
]

/** Creates and reads each second of one, two and three nodes, each a small machine, as is PostgreSQL. */
export async function benchShares(
  clusters: BenchNodes[],
  postgresPid: number,
  limits: ProcessorLimits,
): Promise<Result[]> {
  const reads = clusters.map((cluster) => ({ cluster, next: nextRead(cluster), ...READS }))
  const creates = clusters.map((cluster) => ({ cluster, next: cluster.nextCreate, ...CREATES }))
  for (const one of [...reads, ...creates])
    await spread({ ...one, milliseconds: WARMING_MS * one.cluster.nodes.length })
  const isLimited = [
    limits.limit(pidsOfTree(postgresPid), CORES_OF_POSTGRES),
    ...clusters.flatMap(({ nodes }) => nodes.map(({ pid }) => limits.limit([pid], CORES_OF_NODE))),
  ].every(Boolean)
  const rounds: { reads: number[]; creates: number[] }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ reads: await inTurn(reads), creates: await inTurn(creates) })
  }
  limits.lift()
  const compared = (kind: 'reads' | 'creates', count: number): Pick<Result, 'measured' | 'detail'> => {
    const of = (nodes: number) => rounds.map((round) => round[kind][nodes - 1] ?? Number.NaN)
    const ratios = of(count).map((perSecond, round) => perSecond / (of(1)[round] ?? Number.NaN))
    const machines = isLimited
      ? `${CORES_OF_NODE} core each, PostgreSQL ${CORES_OF_POSTGRES}`
      : 'WITHOUT limits of the processor'
    return {
      measured: median(ratios),
      detail: `${median(of(count)).toFixed(0)} / ${median(of(1)).toFixed(0)} per second; ${machines}`,
    }
  }
  return TARGETS.flatMap(({ nodes, ...targets }) => [
    {
      name: `GET a list and a ticket, ${nodes} nodes / 1 node`,
      target: targets.reads,
      unit: 'ratio' as const,
      wanted: 'at least' as const,
      ...compared('reads', nodes),
    },
    {
      name: `POST a ticket in several organizations, ${nodes} nodes / 1 node`,
      target: targets.creates,
      unit: 'ratio' as const,
      wanted: 'at least' as const,
      ...compared('creates', nodes),
    },
  ])
}

interface Spread {
  cluster: BenchNodes
  next: (number: number) => Uint8Array
  milliseconds: number
  status: number
}

/** Requests each second of each. */
async function inTurn(loads: Spread[]): Promise<number[]> {
  const rates: number[] = []
  for (const one of loads) {
    rates.push(await spread(one))
    await Bun.sleep(SETTLING_MS)
  }
  return rates
}

/** Requests each second of all nodes together: as many connections go to each. */
async function spread({ cluster: { nodes }, next, ...options }: Spread): Promise<number> {
  const connections = CONNECTIONS / nodes.length
  const loads = nodes.map(({ port }, node) =>
    load(port, { ...options, connections, next: (number) => next(number * nodes.length + node) }),
  )
  const results: LoadResult[] = await Promise.all(loads)
  return results.reduce((sum, { perSecond }) => sum + perSecond, 0)
}

/** A list and a ticket in turn, each anew. */
function nextRead({ tenants: [{ key }] }: BenchNodes): (number: number) => Uint8Array {
  const nextList = listsWith(key, spellings('status=open'))
  const headers = { authorization: `Bearer ${key}` }
  const tickets = Array.from({ length: TICKETS }, (_, number) =>
    rawRequest('GET', `/v1/tickets/tkt_${String(number + 1).padStart(26, '0')}`, headers),
  )
  return (number) => {
    const turn = number >> 1
    return number % 2 === 0 ? nextList(turn) : (tickets[turn % TICKETS] ?? new Uint8Array())
  }
}

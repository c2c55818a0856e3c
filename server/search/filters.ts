import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import type { Wanted } from '../database/full-text.ts'
import { agents } from '../database/tables/agents.ts'
import type { Channel, TicketStatus } from '../database/tables/tickets.ts'
import { isId } from '../ids.ts'
import { type Mark, parseQuery, type Term, wrong } from './grammar.ts'
import { wordsOf } from './normalize.ts'
import { startOfDay } from './start-of-day.ts'
import { wantedWords } from './to-index-query.ts'

/** One condition on a ticket. */
export type Filter = { isNegated: boolean } & (
  | { kind: 'status'; value: TicketStatus }
  | { kind: 'channel'; value: Channel }
  /** Agent id, or an empty string for nobody. */
  | { kind: 'assignee'; value: string }
  | { kind: 'tag'; value: string }
  /** Last activity, milliseconds since 1970. */
  | { kind: 'before' | 'after'; value: number }
  | { kind: Mark; value: '' }
)

/** A query as it is looked for, by one agent. */
export interface Search {
  /** Each once, in one order for the same ones. */
  filters: Filter[]
  /** Empty when nothing is looked for in the text. */
  wanted: Wanted | undefined
  /** The id or the handle of a ticket that is found besides, whatever it holds. */
  called?: string
  /** What to mark in the rows. */
  terms: string[]
}

interface Asking {
  orgId: string
  /** Agent id of who asks. */
  me: string
  /** The time zone that days are counted in. */
  zone: string
}

/** Reads a query and finds the agents that are named in it. Throws 400 `invalid_query`. */
export async function readSearch(
  read: Reader,
  { orgId, me, text, zone = 'UTC' }: Omit<Asking, 'zone'> & { text: string; zone?: string },
): Promise<Search> {
  const query = parseQuery(text)
  const filters: Filter[] = []
  for (const term of query.terms) {
    if (term.key === 'from') continue
    const filter = await filterOf(read, { orgId, me, zone }, term)
    filters.push({ ...filter, isNegated: term.isNegated })
  }
  return {
    ...(query.called !== undefined && { called: query.called }),
    filters: inOrder(filters),
    wanted: wantedWords(orgId, query),
    terms: [...new Set(query.phrases.flatMap(({ isNegated, words }) => (isNegated ? [] : words)))],
  }
}

type Asked<T> = T extends { isNegated: boolean } ? Omit<T, 'isNegated'> : never

async function filterOf(
  read: Reader,
  { orgId, me, zone }: Asking,
  term: Exclude<Term, { key: 'from' }>,
): Promise<Asked<Filter>> {
  switch (term.key) {
    case 'is':
      return { kind: term.value, value: '' }
    case 'assigned':
      return { kind: 'assignee', value: await assigneeOf(read, orgId, me, term.value) }
    case 'status':
      return { kind: term.key, value: term.value }
    case 'channel':
      return { kind: term.key, value: term.value }
    case 'tag':
      return { kind: term.key, value: term.value }
    default:
      return { kind: term.key, value: startOfDay(term.value, zone) }
  }
}

function inOrder(filters: Filter[]): Filter[] {
  const byText = new Map(filters.map((filter) => [JSON.stringify(filter), filter]))
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, filter]) => filter)
}

async function assigneeOf(read: Reader, orgId: string, me: string, value: string): Promise<string> {
  if (value.toLowerCase() === 'me') return me
  if (value.toLowerCase() === 'none') return ''
  const everyone = await agentsOf(read, orgId)
  const exact = everyone.find(({ id, email }) => id === value || email.toLowerCase() === value.toLowerCase())
  if (exact) return exact.id
  const called = isId('agt', value) ? [] : everyone.filter(({ name }) => isCalled(name, value))
  const [agent, other] = called.length > 1 ? called.filter(({ name }) => isSameName(name, value)) : called
  if (agent && !other) return agent.id
  if (called.length === 0) {
    throw wrong(`No agent is called ${value}. Write assigned:me, assigned:none, or a name or address.`)
  }
  const few = called.slice(0, 3).map(({ email }) => `assigned:${email}`)
  throw wrong(`Several agents are called ${value}. Write ${few.join(' or ')}.`)
}

/** `ben` and `okafor` and `ben ok` are all Ben Okafor. */
function isCalled(name: string, value: string): boolean {
  const [parts, given] = [wordsOf(name), wordsOf(value)]
  return given.length > 0 && given.every((word) => parts.some((part) => part.startsWith(word)))
}

function isSameName(name: string, value: string): boolean {
  return wordsOf(name).join(' ') === wordsOf(value).join(' ')
}

function agentsOf(read: Reader, orgId: string) {
  return read
    .select({ id: agents.id, name: agents.name, email: agents.email })
    .from(agents)
    .where(eq(agents.orgId, orgId))
    .orderBy(asc(agents.id))
}

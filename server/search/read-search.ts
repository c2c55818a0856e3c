import { asc, eq } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import type { IndexQuery, WordPhrase } from '../database/full-text.ts'
import { agents } from '../database/tables/agents.ts'
import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import { contradict, excludesRequired, type Filter, PERSONAL } from './filters.ts'
import { companyWord, customerWord, NOWHERE_WORD, organizationWord, wordsOf } from './index-words.ts'
import { isLongEnough, parseQuery, type Query, QueryError, type Term, wordsToMark } from './query-language.ts'
import { startOfDay } from './start-of-day.ts'

/** A query ready to be run for one agent. */
export interface Search {
  /** Without duplicates, in the same order however they were typed. */
  filters: Filter[]
  /** Undefined when the query asks for nothing in the text. */
  indexQuery: IndexQuery | undefined
  /** The id or handle of a ticket to list first, whatever its text says. */
  ticketReference?: string
  /** Words to mark in the rows. */
  terms: string[]
  /** The query contradicts itself, so no ticket can match. */
  isImpossible: boolean
}

interface Context {
  orgId: string
  /** Id of the agent who searches; empty for a key that belongs to no one. */
  me: string
  /** The time zone of the dates in the query. */
  zone: string
}

/** Parses a query and looks up the agents it names. Throws 400 `invalid_query`. */
export async function readSearch(
  read: Reader,
  { orgId, me, text, zone = 'UTC' }: Omit<Context, 'zone'> & { text: string; zone?: string },
): Promise<Search> {
  const query = parse(text)
  const filters: Filter[] = []
  for (const term of query.terms) {
    if (term.key === 'from' || term.key === 'company') continue
    const filter = await filterOf(read, { orgId, me, zone }, term)
    filters.push({ ...filter, isNegated: term.isNegated })
  }
  const indexQuery = indexQueryOf(orgId, query)
  return {
    ...(query.ticketReference !== undefined && { ticketReference: query.ticketReference }),
    filters: sortedAndUnique(filters),
    indexQuery,
    isImpossible: contradict(filters) || (indexQuery !== undefined && excludesRequired(indexQuery)),
    terms: wordsToMark(query),
  }
}

function parse(text: string): Query {
  try {
    return parseQuery(text)
  } catch (error) {
    if (error instanceof QueryError) throw invalidQuery(error.message)
    throw error
  }
}

function invalidQuery(sentence: string): AppError {
  return new AppError(400, 'invalid_query', sentence)
}

function isOfNoOne(term: string): AppError {
  return invalidQuery(`${term} needs an agent or a program. This key belongs to neither.`)
}

type WithoutNegation<T> = T extends { isNegated: boolean } ? Omit<T, 'isNegated'> : never

async function filterOf(
  read: Reader,
  { orgId, me, zone }: Context,
  term: Exclude<Term, { key: 'from' | 'company' }>,
): Promise<WithoutNegation<Filter>> {
  switch (term.key) {
    case 'is':
      if (me === '' && PERSONAL.includes(term.value)) throw isOfNoOne(`is:${term.value}`)
      return { kind: term.value, value: '' }
    case 'assigned':
      return { kind: 'assignee', value: await findAssignee(read, orgId, me, term.value) }
    case 'status':
      return { kind: term.key, value: term.value }
    case 'channel':
      return { kind: term.key, value: term.value }
    case 'tag':
    case 'meta':
      return { kind: term.key, value: term.value }
    default: {
      const time = startOfDay(term.value, zone)
      if (time === undefined) throw invalidQuery(`“${zone}” isn’t a known time zone.`)
      return { kind: term.key, value: time }
    }
  }
}

function sortedAndUnique(filters: Filter[]): Filter[] {
  const byText = new Map(filters.map((filter) => [JSON.stringify(filter), filter]))
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, filter]) => filter)
}

/** The phrases that a document must and must not contain. Undefined if the query has no text. */
function indexQueryOf(orgId: string, query: Query): IndexQuery | undefined {
  const from = query.terms.filter((term) => term.key === 'from' || term.key === 'company')
  if (query.phrases.length === 0 && from.length === 0 && !query.isSymbolsOnly) return undefined
  const phrases = [
    ...from.map(({ isNegated, key, value }) => ({
      isNegated,
      ...customerPhrase(value, key === 'from' ? customerWord : companyWord),
    })),
    ...query.phrases,
  ]
  const phrasesThat = (isNegated: boolean): WordPhrase[] =>
    phrases
      .filter((phrase) => phrase.isNegated === isNegated)
      .map(({ words, isOpenEnded }) => ({ words, isOpenEnded }))
  return {
    required: [
      { words: [organizationWord(orgId)], isOpenEnded: false },
      ...phrasesThat(false),
      ...(query.isSymbolsOnly ? [{ words: [NOWHERE_WORD], isOpenEnded: false }] : []),
    ],
    excluded: phrasesThat(true),
  }
}

function customerPhrase(value: string, asStored: (word: string) => string): WordPhrase {
  const words = wordsOf(value)
  return { words: words.map(asStored), isOpenEnded: isLongEnough(words) }
}

async function findAssignee(read: Reader, orgId: string, me: string, value: string): Promise<string> {
  if (value.toLowerCase() === 'me') {
    if (me === '') throw isOfNoOne('assigned:me')
    return me
  }
  if (value.toLowerCase() === 'none') return ''
  const all = await agentsOf(read, orgId)
  const exact = all.find(({ id, email }) => id === value || email.toLowerCase() === value.toLowerCase())
  if (exact) return exact.id
  const matches = isId('agt', value) ? [] : all.filter(({ name }) => isNameMatch(name, value))
  const [agent, other] = matches.length > 1 ? matches.filter(({ name }) => isSameName(name, value)) : matches
  if (agent && !other) return agent.id
  if (matches.length === 0) {
    throw invalidQuery(
      `No agent matches “${value}”. Try assigned:me, assigned:none, or a name or email address.`,
    )
  }
  const examples = matches.slice(0, 3).map(({ id, email }) => `assigned:${email || id}`)
  throw invalidQuery(`Several agents match “${value}”. Try ${examples.join(' or ')}.`)
}

/** `ben`, `okafor` and `ben ok` all match Ben Okafor. */
function isNameMatch(name: string, value: string): boolean {
  const [nameWords, words] = [wordsOf(name), wordsOf(value)]
  return words.length > 0 && words.every((word) => nameWords.some((part) => part.startsWith(word)))
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

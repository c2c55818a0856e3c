import { afterAll, expect, test } from 'bun:test'
import { CHANNELS } from '../../server/channels/kinds.ts'
import { TICKET_STATUSES } from '../../server/database/tables/tickets.ts'
import { lastPart, parseQuery, QUERY_VALUES, quoted } from '../../server/search/query-language.ts'
import { tagView } from '../../web/inbox/rail/views.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import { makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)

const TAGS = [
  '"quoted"',
  'say "hi" now',
  'a"b',
  '"',
  '""',
  'two words',
  'a\\',
  'tab\tinside',
  'x:y',
  '-minus',
  '”',
]

async function found(q: string): Promise<string[]> {
  await indexed(bellhop)
  const answer = await ben.call<{ data: { id: string }[] }>(
    'GET',
    `/console/tickets?q=${encodeURIComponent(q)}`,
  )
  expect(answer.status, `${q}: ${answer.text}`).toBe(200)
  return answer.json.data.map(({ id }) => id)
}

test('a tag with any characters is found by the search that the page writes for it', async () => {
  for (const tag of TAGS) {
    const { id } = await makeTicket(acme, { tags: [tag] })
    expect(await found(tagView(tag).query), tag).toEqual([id])
    expect(await found(`-tag:${quoted(tag)}`), tag).not.toContain(id)
    const view = await ben.call<{ query: string }>('POST', '/console/views', {
      body: { name: 'One', query: `tag:${quoted(tag)} status:open` },
    })
    expect(await found(view.json.query), tag).toEqual([id])
  }
})

test('every status and every channel can be searched for', () => {
  expect(QUERY_VALUES.status).toEqual(TICKET_STATUSES)
  expect<readonly string[]>(QUERY_VALUES.channel).toEqual(CHANNELS)
})

test('filters are read with any quotes, symbols and capitals around them', () => {
  for (const tag of TAGS) {
    const { terms } = parseQuery(`foo -tag:${quoted(tag)} bar`)
    expect(terms, tag).toEqual([{ isNegated: true, key: 'tag', value: tag.trim() }])
  }
  const searches: [search: string, filters: string[]][] = [
    ['tag:"open end', ['tag:open end']],
    ['tag:"one""', ['tag:one"']],
    ['tag:a"b c', ['tag:a"b']],
    ['"tag:none"', []],
    ['"two ""words tag:x" tag:y', ['tag:y']],
    ['x-tag:none tag:y', ['tag:y']],
    ['TAG:A Is:Spam', ['tag:A', 'is:spam']],
    ['tag:" a "', ['tag:a']],
    ['-"tag:none" -tag:yes', ['-tag:yes']],
  ]
  for (const [search, filters] of searches) {
    const read = parseQuery(search).terms.map(
      ({ isNegated, key, value }) => `${isNegated ? '-' : ''}${key}:${value}`,
    )
    expect(read, search).toEqual(filters)
  }
})

test('the part at the end is found while it is being typed', () => {
  const searches: [search: string, part: string | undefined][] = [
    ['', undefined],
    ['refund ', undefined],
    ['refund st', 'st'],
    ['refund -status:', '-status:'],
    ['from:ana tag:"two w', 'tag:"two w'],
    ['tag:"two words"', 'tag:"two words"'],
    ['refund -', '-'],
  ]
  for (const [search, part] of searches) {
    const last = lastPart(search)
    expect(last && search.slice(last.start), search).toEqual(part)
  }
})

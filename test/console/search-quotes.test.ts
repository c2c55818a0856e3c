import { afterAll, expect, test } from 'bun:test'
import { parseQuery } from '../../server/search/grammar.ts'
import { quoted, tagView } from '../../web/inbox/rail/views.ts'
import { termsOf } from '../../web/inbox/search/query-terms.ts'
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

test('a tag is listed whatever signs it has, by the search that the page writes for it', async () => {
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

test('two quotes inside of quotes are one sign among words, too', async () => {
  const { id } = await makeTicket(acme, { subject: 'She said "hello there" and left' })
  expect(await found('"said ""hello there"" and"')).toEqual([id])
  expect(await found('"hello there" "and left"')).toEqual([id])
})

test('the page reads filters as the server does', () => {
  const searches = [
    ...TAGS.map((tag) => `foo -tag:${quoted(tag)} bar`),
    'tag:"open end',
    'tag:"one""',
    'tag:a"b c',
    '"tag:none"',
    '"two ""words tag:x" tag:y',
    'x-tag:none tag:y',
    'TAG:A Is:Spam',
    'tag:" a "',
    '-"tag:none" -tag:yes',
  ]
  for (const search of searches) {
    const terms = parseQuery(search).terms.map(({ key, value, isNegated }) => ({ key, value, isNegated }))
    const page = termsOf(search).map((term) =>
      term.key === 'is' ? { ...term, value: term.value.toLowerCase() } : term,
    )
    expect(page, search).toEqual(terms.map((term) => ({ ...term, value: String(term.value) })))
  }
})

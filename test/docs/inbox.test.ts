import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { CHANNELS } from '../../server/channels/kinds.ts'
import { TICKET_STATUSES } from '../../server/database/tables/tickets.ts'
import { parseQuery, QUERY_KEYS, QUERY_VALUES } from '../../server/search/query-language.ts'
import { readSources } from '../support/sources.ts'
import { quoted, TOP, table } from './page.ts'

test('the searches are understood, and they are all there are', () => {
  const searches = table('Filter', 'Finds tickets').flatMap(([shown = '']) => quoted(shown))
  const keys = searches.map((search) => {
    const { terms, phrases } = parseQuery(search)
    expect([search, terms.length, phrases.length]).toEqual([search, 1, 0])
    return terms[0]?.key
  })
  expect(new Set(keys)).toEqual(new Set([...QUERY_KEYS, 'meta']))
  for (const [key, words] of Object.entries({
    status: TICKET_STATUSES,
    channel: CHANNELS,
    is: QUERY_VALUES.is,
  })) {
    expect(searches).toEqual(expect.arrayContaining(words.map((word) => `${key}:${word}`)))
  }
})

test('the keys do something in the inbox', async () => {
  const shown = table('Keys', 'Action').flatMap(([keys = '']) => quoted(keys))
  const registered = new Set<string>()
  const letters = new Set<string>()
  for (const { path, text } of await readSources()) {
    if (!/^web\/(formatting|inbox|keyboard|ticket)\//.test(path)) continue
    for (const [, key = ''] of text.matchAll(/\b(?:(?:keys|otherKeys): \[*|KEYS = )'([^']+)'/g))
      registered.add(key)
    const [, views = ''] = /VIEW_LETTERS[^{]*\{([^}]*)\}/.exec(text) ?? []
    for (const [, letter = ''] of views.matchAll(/: '(\w)'/g)) letters.add(letter)
    for (const [, letter = ''] of text.matchAll(/keys: \['g', '(\w)'\]/g)) letters.add(letter)
  }
  for (const letter of letters) registered.add(`g ${letter}`)
  const known = shown.map((key) =>
    key.length > 1 ? key.toLowerCase().replace('ctrl', 'mod').replace(/^esc$/, 'escape') : key,
  )
  expect(known.filter((key) => !registered.has(key))).toEqual([])
  expect(known.filter((key) => key.startsWith('g '))).toHaveLength(letters.size)
})

test('the pages of the settings are those that administrators see', async () => {
  const shown = table('Page', 'Use it to').flatMap(([titles = '']) => titles.split(', '))
  const text = await Bun.file(join(TOP, 'web/settings/settings-routes.ts')).text()
  const titles = [...text.matchAll(/\badmin\('[^']+', '([^']+)'/g)].map(([, title = '']) => title)
  expect(shown.sort()).toEqual(titles.sort())
})

test('the scripts are there', async () => {
  const { scripts } = await Bun.file(join(TOP, 'package.json')).json()
  const shown = table('Script', 'What it does').flatMap(([script = '']) => quoted(script))
  const names = shown.flatMap((script) => /^bun run (\S+)/.exec(script)?.[1] ?? [])
  expect(names.filter((name) => !(name in scripts))).toEqual([])
  expect(names).toEqual(expect.arrayContaining(['check', 'dev', 'web', 'screenshots']))
})

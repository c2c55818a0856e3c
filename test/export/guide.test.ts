import { expect, test } from 'bun:test'
import { getTableName, is, SQL } from 'drizzle-orm'
import { FIELDED_KINDS, type FieldedKind } from '../../server/export/record-kinds.ts'
import { documents, quoted, table } from '../docs/page.ts'
import { allTables } from '../support/stored-rows.ts'

const GUIDE = documents.get('server/http/docs/guides/export.md') ?? ''
const TYPES = {
  text: 'Text',
  integer: 'Integer',
  boolean: 'Boolean',
  json: 'JSON',
  bytes: 'Base64',
  secret: 'Secret',
}

test('every table is in an export, or the guide says why it is left out', async () => {
  const all = (await allTables()).map((table) => getTableName(table))
  const exported = FIELDED_KINDS.map((kind) => getTableName(kind.table))
  const leftOut = table('Table', 'Why').flatMap(([name = '']) => quoted(name))
  expect([...exported, ...leftOut].sort()).toEqual(all.sort())
})

test('every column is in an export, or the guide says that it is left out', () => {
  const [leftOut = ''] = /^Of .* left out.*$/m.exec(GUIDE) ?? []
  for (const { table, left } of FIELDED_KINDS) {
    const columns = Object.keys(left).map((name) =>
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    )
    for (const column of columns)
      expect(quoted(leftOut)).toEqual(expect.arrayContaining([getTableName(table), column]))
  }
})

test('a field that an earlier export lacks gets a value, not an expression', () => {
  const missing = FIELDED_KINDS.flatMap(({ name, fields, absent }) =>
    fields.flatMap((field) =>
      is(field.column.default, SQL) && !(field.name in absent) ? [`${name}.${field.name}`] : [],
    ),
  )
  expect(missing).toEqual([])
})

test('the guide describes every kind of record in the order of a file, with its fields', () => {
  const described = [...GUIDE.matchAll(/^### (\w+)\n\n.+\n\n((?:- .+\n)+)/gm)].map(([, name, lines]) => [
    name,
    lines,
  ])
  expect(described).toEqual(FIELDED_KINDS.map((kind) => [kind.name, linesOf(kind)]))
})

function linesOf({ fields, order }: FieldedKind): string {
  const ofTypes = Object.entries(TYPES).map(([type, name]) => {
    return lineOf(
      name,
      fields.flatMap((field) => (field.type === type ? [field.name] : [])),
    )
  })
  const nullable = fields.flatMap(({ name, isNullable }) => (isNullable ? [name] : []))
  const ordered = order.filter((column) => fields.some(({ name }) => name === column))
  const inOrder = ordered.length > 0 ? lineOf('Order', ordered) : '- **Order**: of creation\n'
  return [...ofTypes, lineOf('May be `null`', nullable), inOrder].join('')
}

function lineOf(what: string, names: string[]): string {
  return names.length > 0 ? `- **${what}**: ${names.map((name) => `\`${name}\``).join(', ')}\n` : ''
}

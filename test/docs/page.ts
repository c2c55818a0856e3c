import { join } from 'node:path'
import { GUIDES } from '../../server/http/docs/guides.ts'

export const TOP = join(import.meta.dir, '../..')
/** README.md and the guides, by their path in the repository. */
export const documents = new Map(
  await Promise.all(
    ['README.md', ...GUIDES.map(({ slug }) => `server/http/docs/guides/${slug}.md`)].map(
      async (path): Promise<[string, string]> => [path, await Bun.file(join(TOP, path)).text()],
    ),
  ),
)
const all = [...documents.values()].join('\n\n')

/** The code block in that language with these words, in README.md or a guide. It can be in both if it's the same. */
export function block(language: string, words = ''): string {
  const blocks = [...all.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
  const found = new Set(
    blocks.flatMap(([, is, code = '']) => (is === language && code.includes(words) ? [code] : [])),
  )
  const [code] = found
  if (found.size !== 1 || code === undefined) {
    throw new Error(`There are ${found.size} blocks of ${language} with "${words}".`)
  }
  return code
}

/** The rows of every table whose first headings are these, a list of cells each. */
export function table(...headings: string[]): string[][] {
  const lines = all.split('\n').map(cellsOf)
  const rows = lines.flatMap((cells, start) => {
    if (!headings.every((heading, place) => cells[place] === heading)) return []
    const below = lines.slice(start + 2)
    return below.slice(
      0,
      below.findIndex((row) => row.length === 0),
    )
  })
  if (rows.length === 0) throw new Error(`There is no table with the headings ${headings}.`)
  return rows
}

/** The words in backquotes. */
export function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words)
}

/** A message of HTTP as the page shows it. Names of headers in lower case. */
export function httpMessage(words: string): { start: string; headers: Headers; body: string } {
  return readHttp(block('http', words))
}

export function readHttp(text: string): { start: string; headers: Headers; body: string } {
  const lines = text.split(/\r?\n/)
  const end = lines.indexOf('')
  const headers = lines.slice(1, end).map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  return {
    start: lines[0] ?? '',
    headers: new Headers(headers),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trimEnd(),
  }
}

/** The names of the fields and the types of their values, however deep: what an example promises. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

/** None when the line is not of a table. */
function cellsOf(line: string): string[] {
  if (!line.startsWith('|')) return []
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

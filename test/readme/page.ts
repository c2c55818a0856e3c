import { join } from 'node:path'

/** The repository's README.md, as this test reads it: blocks of code by their language, tables by their heading. */
export const page = await Bun.file(join(import.meta.dir, '../../README.md')).text()

/** The one block of code of that language that holds these words. */
export function block(language: string, words = ''): string {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
  const found = blocks.filter(([, is, code = '']) => is === language && code.includes(words))
  const [, , code] = found[0] ?? []
  if (found.length !== 1 || code === undefined) {
    throw new Error(`README.md has ${found.length} blocks of ${language} with "${words}".`)
  }
  return code
}

/** The rows of the one table whose first headings are these, a list of cells each. */
export function table(...headings: string[]): string[][] {
  const lines = page.split('\n').map(cellsOf)
  const start = lines.findIndex((cells) => headings.every((heading, place) => cells[place] === heading))
  if (start < 0) throw new Error(`README.md has no table of ${headings}.`)
  const rows = lines.slice(start + 2)
  return rows.slice(
    0,
    rows.findIndex((cells) => cells.length === 0),
  )
}

/** What stands in backquotes. */
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

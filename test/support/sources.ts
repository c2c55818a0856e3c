import { posix } from 'node:path'
import { Glob } from 'bun'

export interface Import {
  /** A path from the top folder for a file of ours, otherwise the name of the package. */
  target: string
  isRelative: boolean
  isTypeOnly: boolean
  /** What is taken from it: `default`, and `*` for all. */
  names: string[]
}

export interface Source {
  /** Relative to the repository, with `/`. */
  path: string
  text: string
  /** The text without comments and string contents. Code in `${}` is kept. */
  code: string
  imports: Import[]
  /** Names of what it exports, `default` among them. */
  exports: string[]
}

const TOP = `${import.meta.dir}/../..`
const PATTERN = '{server,web,test,drizzle,release}/**/*.{ts,tsx}'
const FROM = /\b(?:import|export)\s+(type\s)?([\w*{][^'";]*?\s)?from\s*['"]([^'"]+)['"]/g
const BARE_OR_DYNAMIC = /\bimport\s*\(?\s*['"]([^'"]+)['"]/g
const COMMENT_OR_QUOTED =
  /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
const EXPORTED =
  /\bexport\s+(?:(default)\b|(?:async\s+)?(?:abstract\s+)?(?:function\*?|class|const|let|interface|type|enum)\s+(\w+|\{[^}]*\}|\[[^\]]*\]))/g
const EXPRESSION = /\$\{[^}]*\}/g

/** Every source file of the product and its tests. */
export async function readSources(): Promise<Source[]> {
  const found = await Array.fromAsync(new Glob(PATTERN).scan({ cwd: TOP }))
  const paths = found.filter((path) => !path.includes('/node_modules/'))
  const sources = paths.sort().map(async (path) => sourceOf(path, await Bun.file(`${TOP}/${path}`).text()))
  return Promise.all(sources)
}

export function sourceOf(path: string, text: string): Source {
  const withNames = withoutWords(text, /^['"]/)
  const imports = [
    ...[...withNames.matchAll(FROM)].map(([, type, clause = '', name = '']) =>
      importOf(path, name, type !== undefined, namesIn(clause)),
    ),
    ...[...withNames.matchAll(BARE_OR_DYNAMIC)].map(([, name = '']) => importOf(path, name, false, ['*'])),
  ]
  const code = withoutWords(text)
  const exports = [...code.matchAll(EXPORTED)].flatMap(([, isDefault, names = '']) =>
    isDefault ? ['default'] : (names.match(/\w+/g) ?? []),
  )
  return { path, text, code, imports, exports }
}

function withoutWords(text: string, kept?: RegExp): string {
  return text.replace(COMMENT_OR_QUOTED, (piece) => {
    if (kept?.test(piece)) return piece
    return piece.startsWith('`') ? (piece.match(EXPRESSION) ?? []).join(' ') : ''
  })
}

/** `a` of `{ a as b, type c }`, `default` of a plain name, `*` of `* as all`. */
function namesIn(clause: string): string[] {
  const [, plain, braced = ''] = /^(\w+|\*)?[^{]*(?:\{([^}]*)\})?/.exec(clause.trim()) ?? []
  const names = braced.split(',').map(
    (one) =>
      one
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)[0] ?? '',
  )
  return [...names.filter(Boolean), ...(plain === '*' ? ['*'] : plain ? ['default'] : [])]
}

function importOf(path: string, name: string, isTypeOnly: boolean, names: string[]): Import {
  const isRelative = name.startsWith('.')
  return { target: isRelative ? posix.join(posix.dirname(path), name) : name, isRelative, isTypeOnly, names }
}

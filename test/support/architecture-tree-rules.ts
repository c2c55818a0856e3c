import { posix } from 'node:path'
import type { Source } from './sources.ts'

/** What is wrong with the sources as a whole, a sentence each; nothing when they keep the rule. */
export type TreeRule = (sources: Source[]) => string[]

/** Folders of `web`, lowest first: each may import itself and the lines below it, never its neighbors. */
const WEB_LAYERS = [
  ['ui', 'widget'],
  ['browser', 'keyboard'],
  ['formatting'],
  ['api'],
  ['forms'],
  ['live'],
  ['ticket'],
  ['inbox', 'settings', 'sign-in'],
  ['root'],
]
/** Names that may occur once in every folder. */
const REPEATED_NAMES = /^(?:routes|v1|schemas|views|queries)\.ts$/
const MAX_FILES_PER_FOLDER = 25
const MIN_LINES = 25
/** Written by a program, or read by one. */
const GENERATED = 'server/database/migrations.ts'
const READ_BY_VITE = 'web/vite.config.ts'
/** In place of `solid-js`. */
const PUT_IN_BY_BUILD = /^web\/widget\/runtime\//

export const TREE_RULES: Record<string, TreeRule> = {
  'no import circle, types included'(sources) {
    return circlesOf(sources).map((circle) => circle.join(' → '))
  },

  'a folder of the pages imports only folders below it'(sources) {
    return sources.flatMap((source) =>
      source.imports.flatMap(({ target }) => {
        const [own, other] = [webLayerOf(source.path), webLayerOf(target)]
        if (own === undefined || other === undefined) return []
        if (own.folder === other.folder || other.layer < own.layer) return []
        return [`${source.path}: ${own.folder} may not import ${target}`]
      }),
    )
  },

  'a file name occurs once in server and once in web'(sources) {
    const places = Map.groupBy(products(sources), ({ path }) => `${treeOf(path)}/${posix.basename(path)}`)
    return [...places]
      .filter(([name]) => !REPEATED_NAMES.test(posix.basename(name)))
      .map(([name, files]) => ({ name, paths: files.map(({ path }) => path).filter(isNotTable) }))
      .filter(({ paths }) => paths.length > 1)
      .map(({ paths }) => paths.join(' and '))
  },

  'a folder holds at most 25 source files'(sources) {
    const folders = Map.groupBy(products(sources), ({ path }) => posix.dirname(path))
    return [...folders]
      .filter(([, files]) => files.length > MAX_FILES_PER_FOLDER)
      .map(([folder, files]) => `${folder} holds ${files.length}`)
  },

  'a short file that one neighbor imports belongs to that neighbor'(sources) {
    const importers = importersOf(sources)
    return products(sources).flatMap(({ path, text }) => {
      const [only, second] = [...(importers.get(path) ?? [])].filter((importer) => !/^test\//.test(importer))
      if (!only || second || posix.dirname(only) !== posix.dirname(path)) return []
      if (text.split('\n').length > MIN_LINES || isRepeated(path) || !isNotTable(path)) return []
      if (path === GENERATED) return []
      return [`${path} belongs to ${only}`]
    })
  },

  'every export is imported by another file'(sources) {
    const used = new Set(
      sources.flatMap((source) => [
        ...source.imports.flatMap(({ target, names }) => names.map((name) => `${target} ${name}`)),
        ...augmentedIn(source),
      ]),
    )
    return products(sources).flatMap(({ path, exports }) =>
      // drizzle-kit reads every table; its vocabulary is listed beside it. The widget's build imports its runtime.
      (path === READ_BY_VITE || PUT_IN_BY_BUILD.test(path) || !isNotTable(path) ? [] : exports)
        .filter((name) => !used.has(`${path} ${name}`) && !used.has(`${path} *`))
        .map((name) => `${path} exports ${name} for no one`),
    )
  },

  'a change of the workspace is recorded in the unit that makes it'(sources) {
    return products(sources)
      .filter(({ code }) => /\bwrite\([^()]*,\s*(?:async\s*)?\(tx\)\s*=>\s*recordWorkspaceChange/.test(code))
      .map(({ path }) => `${path} records it in a unit of its own`)
  },
}

/** Interfaces of other files that a file adds to. */
function augmentedIn({ path, text }: Source): string[] {
  const found = text.matchAll(/^declare module '([^']+)' \{\s+interface (\w+)/gm)
  return [...found].map(([, file = '', name]) => `${posix.join(posix.dirname(path), file)} ${name}`)
}

function products(sources: Source[]): Source[] {
  return sources.filter(({ path }) => /^(?:server|web)\//.test(path) && !/\.d(?:\.yaml)?\.ts$/.test(path))
}

function treeOf(path: string): string {
  return path.slice(0, path.indexOf('/'))
}

function isNotTable(path: string): boolean {
  return !path.startsWith('server/database/tables/')
}

function isRepeated(path: string): boolean {
  return REPEATED_NAMES.test(posix.basename(path))
}

/** `root` for the files beside the folders; nothing for what is not of the pages. */
function webLayerOf(path: string): { folder: string; layer: number } | undefined {
  const [tree, folder, ...rest] = path.split('/')
  if (tree !== 'web' || folder === undefined) return undefined
  const name = rest.length === 0 ? 'root' : folder
  return { folder: name, layer: WEB_LAYERS.findIndex((layer) => layer.includes(name)) }
}

/** Who imports each file. */
function importersOf(sources: Source[]): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>()
  for (const { path, imports } of sources) {
    for (const { target } of imports) importers.set(target, (importers.get(target) ?? new Set()).add(path))
  }
  return importers
}

/** Files that import each other in the end (Tarjan's strongly connected components). */
function circlesOf(sources: Source[]): string[][] {
  const paths = new Map(sources.map((source) => [source.path, source]))
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []

  function visit(path: string): number {
    const number = numbers.size
    numbers.set(path, number)
    lowest.set(path, number)
    open.push(path)
    for (const { target } of paths.get(path)?.imports ?? []) {
      if (!paths.has(target)) continue
      const reached = numbers.has(target)
        ? open.includes(target)
          ? numbers.get(target)
          : undefined
        : visit(target)
      if (reached !== undefined) lowest.set(path, Math.min(lowest.get(path) ?? number, reached))
    }
    if (lowest.get(path) === number) {
      const circle = open.splice(open.indexOf(path))
      if (circle.length > 1) circles.push(circle)
    }
    return lowest.get(path) ?? number
  }

  for (const path of paths.keys()) if (!numbers.has(path)) visit(path)
  return circles
}

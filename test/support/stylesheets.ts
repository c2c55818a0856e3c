import { basename, dirname } from 'node:path'
import { Glob } from 'bun'

export interface Stylesheet {
  /** From the top folder, with `/`. */
  path: string
  classes: string[]
  /** Names of the files beside it, without their endings, and of the components in them. */
  components: string[]
}

const TOP = `${import.meta.dir}/../..`
/** Classes that every page may use, and the icon library's class. */
const GLOBAL_STYLES = 'web/ui/base.css'
const OF_THE_ICONS = 'lucide'
const COMMENT_STRING_OR_BODY = /\/\*[\s\S]*?\*\/|"[^"]*"|url\([^)]*\)|\{[^{}]*\}/g

/** Every stylesheet of the pages. */
export async function readStylesheets(): Promise<Stylesheet[]> {
  const paths = await Array.fromAsync(new Glob('web/**/*.{css,tsx}').scan({ cwd: TOP }))
  const texts = new Map(
    await Promise.all(
      paths.sort().map(async (path) => [path, await Bun.file(`${TOP}/${path}`).text()] as const),
    ),
  )
  const beside = Map.groupBy(paths, (path) => dirname(path))
  const stylesheets = paths.filter((path) => path.endsWith('.css'))
  return stylesheets.map((path) => ({
    path,
    classes: classesIn(texts.get(path) ?? ''),
    components: (beside.get(dirname(path)) ?? []).flatMap((one) => [
      basename(one).replace(/\.\w+$/, ''),
      ...componentsIn(texts.get(one) ?? ''),
    ]),
  }))
}

/** `customer-tickets` for `function CustomerTickets(`. */
function componentsIn(code: string): string[] {
  return [...code.matchAll(/\bfunction ([A-Z]\w*)\(/g)].map(([, name = '']) =>
    name.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase(),
  )
}

/** Classes whose name doesn't begin with that of a component, a sentence each. */
export function misnamedClasses(stylesheets: Stylesheet[]): string[] {
  const known = new Set(stylesheets.flatMap((one) => one.classes.filter((name) => isOwn(one, name))))
  const faulty = stylesheets.filter(({ path }) => path !== GLOBAL_STYLES)
  const global = stylesheets.find(({ path }) => path === GLOBAL_STYLES)?.classes ?? []
  const allowed = new Set([...known, ...global, OF_THE_ICONS])
  return faulty.flatMap(({ path, classes }) =>
    classes
      .filter((name) => !allowed.has(name) && !name.startsWith('is-'))
      .map((name) => `${path}: .${name}`),
  )
}

export function classesIn(css: string): string[] {
  const selectors = css.replace(COMMENT_STRING_OR_BODY, ' ').replace(COMMENT_STRING_OR_BODY, ' ')
  return [...new Set([...selectors.matchAll(/\.([a-zA-Z_][\w-]*)/g)].map(([, name = '']) => name))]
}

function isOwn({ components }: Stylesheet, name: string): boolean {
  return components.some((component) => name === component || name.startsWith(`${component}-`))
}

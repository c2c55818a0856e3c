import { expect, test } from 'bun:test'
import { join } from 'node:path'

const WEB = join(import.meta.dir, '../../web')
const COMMENT = /\/\*.*?\*\//gs
/** Not those inside of `:is(…)`. */
const COMMA = /,(?![^()]*\))/
const SELECTORS = /(?<=^|[{};])\s*([^{};@]+)\{/g
/** A class alone, not inside of another one or joined with something. */
const BARE_CLASS = /^\.[\w-]+$/

/** The styles of a page stay when one goes on to the next page, so a name used twice is drawn with both. */
test('every class is styled in one file only', async () => {
  const files = Map.groupBy(await bareClasses(), ({ name }) => name)
  const twice = [...files].flatMap(([name, found]) => {
    const paths = new Set(found.map(({ path }) => path))
    return paths.size > 1 ? [`${name} in ${[...paths].join(' and ')}`] : []
  })
  expect(files.size).toBeGreaterThan(100)
  expect(twice).toEqual([])
})

async function bareClasses(): Promise<{ name: string; path: string }[]> {
  const paths = await Array.fromAsync(new Bun.Glob('**/*.css').scan({ cwd: WEB }))
  const found = await Promise.all(
    paths.map(async (path) => {
      const css = (await Bun.file(join(WEB, path)).text()).replaceAll(COMMENT, '')
      const selectors = [...css.matchAll(SELECTORS)].flatMap(([, list = '']) => list.split(COMMA))
      return selectors
        .map((selector) => selector.trim())
        .filter((selector) => BARE_CLASS.test(selector))
        .map((name) => ({ name, path }))
    }),
  )
  return found.flat()
}

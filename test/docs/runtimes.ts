import { test } from 'bun:test'
import type { Bellhop } from '../support/bellhop.ts'

/**
 * A test that needs these programs. Where one is missing the test is skipped with a word, and fails in CI, which has
 * all of them.
 */
export function testWith(
  programs: string[],
  name: string,
  run: () => Promise<void>,
  timeoutMs = 20_000,
): void {
  const missing = programs.filter((program) => !Bun.which(program))
  if (missing.length > 0 && !process.env.CI) {
    console.warn(`Skipped, for there is no ${missing.join(', no ')} here: ${name}`)
    test.skip(name, run)
    return
  }
  test(
    name,
    async () => {
      if (missing.length > 0) throw new Error(`CI should have ${missing.join(', ')}.`)
      await run()
    },
    timeoutMs,
  )
}

/** The page's own words, with this test's Bun and server. */
export async function runInShell(bellhop: Bellhop, script: string): Promise<string> {
  const here = script
    .replaceAll('bun server/main.ts', `"${process.execPath}" server/main.ts`)
    .replaceAll('http://127.0.0.1:3000', bellhop.url)
  const child = Bun.spawn(['bash', '-e', '-c', here], {
    cwd: `${import.meta.dir}/../..`,
    env: { PATH: process.env.PATH ?? '', BELLHOP_DATA: bellhop.deps.config.dataFolder },
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${code}: ${err}`)
  return out
}

import { test } from 'bun:test'

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

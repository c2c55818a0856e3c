import { readConfig } from '../config.ts'
import { arePagesBuilt } from '../http/built-pages.ts'
import { type Service, startService } from '../service.ts'
import { programName } from './program-name.ts'

/** Starts everything and runs until a signal; a second one ends it at once. One that comes during the start waits for it. */
export async function serve(): Promise<void> {
  const asked = untilAsked()
  const service = await startService(readConfig())
  process.stdout.write(`${runningAt(service)}${await firstSteps(service)}`)
  await asked
  await service.stop()
}

/** Where it answers, and what is missing. */
export function runningAt({ url }: Service): string {
  return `Bellhop is running at ${url}\n${pagesMissing()}`
}

/** Only from the sources: the built file has the pages inside. */
function pagesMissing(): string {
  return arePagesBuilt()
    ? ''
    : 'The pages are not built, so only the API answers. Build them in another terminal: bun run web\n'
}

async function firstSteps({ url, firstRun }: Service): Promise<string> {
  if (!(await firstRun.isOpen())) return ''
  return `There is no organization yet. Open this link to make one; it is good until the server stops:
  ${url}/welcome#${firstRun.token}
Or make one in another terminal: ${programName()} setup --help
`
}

/** Settles at the first signal to stop. */
export function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve()
      })
    }
  })
}

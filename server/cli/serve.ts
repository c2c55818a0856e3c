import { readConfig } from '../config.ts'
import type { Deps } from '../deps.ts'
import { arePagesBuilt } from '../http/built-pages.ts'
import { listOrganizations } from '../organizations/organizations.ts'
import { startService } from '../service.ts'
import { programName } from './program-name.ts'

/** Starts everything and runs until a signal; a second one ends it at once. One that comes during the start waits for it. */
export async function serve(): Promise<void> {
  const asked = untilAsked()
  const service = await startService(readConfig())
  process.stdout.write(`Bellhop is running at ${service.url}\n${pagesMissing()}${await firstSteps(service.deps)}`)
  await asked
  await service.stop()
}

/** Only from the sources: the built file has the pages inside. */
function pagesMissing(): string {
  return arePagesBuilt()
    ? ''
    : 'The pages are not built, so only the API answers. Build them in another terminal: bun run web\n'
}

async function firstSteps(deps: Deps): Promise<string> {
  const organizations = await listOrganizations(deps)
  if (organizations.length > 0) return ''
  const program = programName()
  return `There is no organization yet. Make one, and a key for its API, in another terminal:
  ${program} setup --org "YOUR COMPANY" --name "YOUR NAME" --email YOU@EXAMPLE.COM
  ${program} key create --org "YOUR COMPANY"
`
}

function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve()
      })
    }
  })
}

import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, error } = findingsOf('database')

/** `whole` is the sentence for a current database. */
export function ofVersion(version: number, supported: number, whole: string): Finding {
  if (version > supported) {
    const detail = `The data is at version ${version}, but this program only supports ${supported}.`
    return error({ detail, advice: 'Use the newer program, or restore a backup from before the upgrade.' })
  }
  if (version < supported) {
    const detail = `The data is at version ${version}, and this program needs ${supported}.`
    return warning({
      detail,
      advice: 'Restart the server with this program: it upgrades the data at the start.',
    })
  }
  return ok(whole)
}

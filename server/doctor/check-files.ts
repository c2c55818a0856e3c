import { randomBytes } from 'node:crypto'
import { referencedFiles, sampleFiles } from '../attachments/queries.ts'
import { countOf, type Finding, findingsOf, type OpenInstallation } from './finding.ts'

const { ok, error } = findingsOf('files')
/** Of the newest attachments, and of others. */
const SAMPLE = 1_000

/** Checks that the files of some attachments are there. Only looks for them: reading them would take hours. */
export async function checkFiles({ deps }: Pick<OpenInstallation, 'deps'>): Promise<Finding[]> {
  const from = randomBytes(32).toString('hex')
  const { hashes, total } = await sampleFiles(deps.database.background, { from, size: SAMPLE })
  if (total === 0) return [ok('No attachments yet.')]
  const isThere = await Promise.all(hashes.map((hash) => deps.files.has(hash)))
  const absent = hashes.filter((_, index) => !isThere[index])
  // Not those of attachments that were deleted meanwhile.
  const missing = (await referencedFiles(deps.database.read, absent)).size
  const looked = `of ${countOf(hashes.length, 'file')} looked at, for ${countOf(total, 'attachment')}`
  if (missing === 0) return [ok(`None is missing ${looked}.`)]
  const detail = `${missing} ${missing === 1 ? 'is' : 'are'} missing ${looked}.`
  const advice = 'Copy attachments/ from your newest backup into the data folder.'
  return [error({ detail, advice })]
}

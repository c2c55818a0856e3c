import type { Command } from 'commander'
import { BucketError } from '../attachments/bucket.ts'
import { compareFiles } from '../attachments/check-files.ts'
import { StartError } from '../errors.ts'
import { counted, note, print, printJson } from './output.ts'
import { withDeps } from './with-deps.ts'

export function addFiles(program: Command): void {
  const files = program.command('files').description('the files of attachments and emails')
  files
    .command('check')
    .description(
      'check that every file of the database is in the data folder or the bucket; exits with 1 if one is missing',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { files, missing } = await withDeps(async (deps) => {
        try {
          return await compareFiles(deps)
        } catch (error) {
          throw error instanceof BucketError ? new StartError(error.reason) : error
        }
      })
      if (json) printJson({ files, missing })
      else for (const hash of missing) print(hash)
      if (missing.length > 0) {
        const are = missing.length === 1 ? 'is' : 'are'
        throw new StartError(`${missing.length} of ${counted(files, 'file')} ${are} missing.`)
      }
      if (!json) note(`${files === 1 ? 'The file is' : `All ${counted(files, 'file')} are`} there.`)
    })
}

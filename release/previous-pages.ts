import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ArchivedFile, tarGz } from './archives.ts'

// Pages that were opened before an upgrade load some of their files only later. So a release has those of the one before.

/** The files of the built pages whose names change with their content. */
const FOLDERS = ['assets', 'widget/assets']

/** The archive that the build of the next release takes. `web` is the folder of the built pages. */
export function packPages(web: string, time: Date): Promise<Uint8Array> {
  const names = FOLDERS.flatMap((folder) => readdirSync(join(web, folder)).map((name) => `${folder}/${name}`))
  const files = names
    .sort()
    .map((name): ArchivedFile => ({ name, bytes: new Uint8Array(readFileSync(join(web, name))) }))
  return tarGz(files, time)
}

/** Puts the files of that archive which these pages don't have into the folder `previous`. */
export async function addPreviousPages(web: string, archive: string): Promise<void> {
  const files = await new Bun.Archive(readFileSync(archive)).files()
  for (const folder of FOLDERS) mkdirSync(join(web, 'previous', folder), { recursive: true })
  for (const [name, file] of files) {
    if (!FOLDERS.includes(dirname(name)))
      throw new Error(`${archive} has ${name}, which is no file of pages.`)
    if (existsSync(join(web, name))) continue
    writeFileSync(join(web, 'previous', name), new Uint8Array(await file.arrayBuffer()))
  }
}

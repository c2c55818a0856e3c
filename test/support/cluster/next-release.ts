import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addPreviousPages, packPages } from '../../../release/previous-pages.ts'
import { VERSION } from '../../../server/version.ts'
import { temporaryFolder } from '../folder.ts'
import { PROGRAM } from '../program.ts'

const ROOT = join(import.meta.dir, '../../..')
const COPIED = ['server', 'drizzle', 'release', 'web', 'dist/web', 'package.json', 'LICENSE']
const TEXT = /\.(?:js|css|html|json|webmanifest)$/
const COMPRESSED = /\.(?:br|gz)$/

/** A program, and the paths of its files that pages load. */
export interface Release {
  version: string
  program: string[]
  assets: string[]
}

/** That of this source. The pages must have been built. */
export function thisRelease(): Release {
  return { version: VERSION, program: PROGRAM, assets: assetsOf(ROOT) }
}

/**
 * A copy of this source that is so many releases ahead. Each of them adds a column to a table that is in use, and an index;
 * all files of its pages have other names. It has those of this source, as a release has those of the one before.
 */
export async function makeNextRelease(ahead = 1): Promise<Release> {
  const folder = temporaryFolder('next-release')
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const [major, minor, patch] = VERSION.split('.').map(Number)
  const version = `${major}.${(minor ?? 0) + ahead}.${patch}`
  change(join(folder, 'package.json'), (text) =>
    text.replace(`"version": "${VERSION}"`, `"version": "${version}"`),
  )
  for (let each = 1; each <= ahead; each += 1) addMigrations(folder, each)
  const archive = join(folder, 'pages.tar.gz')
  writeFileSync(archive, await packPages(join(ROOT, 'dist/web'), new Date()))
  renameAssets(join(folder, 'dist/web'), ahead)
  await addPreviousPages(join(folder, 'dist/web'), archive)
  const program = [process.execPath, join(folder, 'server/main.ts')]
  return { version, program, assets: assetsOf(folder) }
}

function addMigrations(folder: string, number: number): void {
  const column = `of_release_${number}`
  const added = [
    [`${column}_column`, `ALTER TABLE "tickets" ADD COLUMN "${column}" text;`],
    [`${column}_index`, `CREATE INDEX "tickets_by_${column}" ON "tickets" ("org_id","${column}");`],
  ] as const
  const list = join(folder, 'server/database/migrations.ts')
  for (const [name, sql] of added) {
    writeFileSync(join(folder, 'drizzle', `${name}.sql`), sql)
    change(list, (text) =>
      `import ${name} from '../../drizzle/${name}.sql' with { type: 'text' }\n${text}`.replaceAll(
        /^ {2}\],$/gm,
        `    { name: '${name}', sql: ${name} },\n  ],`,
      ),
    )
  }
}

/** As if each file had changed. */
function renameAssets(web: string, ahead: number): void {
  const folders = ['assets', 'widget/assets'].map((name) => join(web, name))
  const names = folders.flatMap((folder) => namesIn(folder))
  const renamed = (name: string) => name.replace(/\.\w+$/, (ending) => `${ahead}${ending}`)
  const old = new RegExp(names.map((name) => RegExp.escape(name)).join('|'), 'g')
  for (const folder of [...folders, join(web, 'widget'), web]) {
    const isNamedAnew = folders.includes(folder)
    for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())) {
      const file = join(folder, name)
      const bytes = readFileSync(file)
      if (isNamedAnew || COMPRESSED.test(name)) rmSync(file)
      if (COMPRESSED.test(name)) continue
      const content = TEXT.test(name) ? bytes.toString().replaceAll(old, renamed) : bytes
      writeFileSync(join(folder, isNamedAnew ? renamed(name) : name), content)
    }
  }
}

function assetsOf(folder: string): string[] {
  return ['assets', 'widget/assets'].flatMap((path) =>
    namesIn(join(folder, 'dist/web', path)).map((name) => `/${path}/${name}`),
  )
}

function namesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => !COMPRESSED.test(name))
}

function change(file: string, edit: (text: string) => string): void {
  const before = readFileSync(file, 'utf8')
  const after = edit(before)
  if (after === before) throw new Error(`There is nothing to change in ${file}.`)
  writeFileSync(file, after)
}

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { scripts, version } from '../package.json' with { type: 'json' }
import { type ArchivedFile, tarGz, zip } from './archives.ts'
import { gitCommit, licenseTexts } from './build-facts.ts'
import { buildClients } from './clients/build.ts'
import { bundledPackages } from './packages.ts'
import { packPages } from './previous-pages.ts'
import { sbom } from './sbom.ts'

/** As Bun names them. Those for x64 need no AVX2: with Bun 1.4.5, `linux-x64-baseline` has the same bytes. */
const TARGETS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64']
const ROOT = join(import.meta.dir, '..')
const WEB = join(ROOT, 'dist/web')
const MONITORING = join(ROOT, 'server/http/docs/monitoring')

/**
 * Makes every file of a release, or only the given targets: `bun run release linux-x64`. The pages must be built, after the
 * first release with the archive of the pages of the one before:
 *
 *     PREVIOUS_PAGES=bellhop-1.4.0-pages.tar.gz bun run release
 *
 * The same commit, Bun, packages, and previous pages make the same bytes.
 */
async function release(folder: string, targets: string[]): Promise<void> {
  const unknown = targets.find((target) => !TARGETS.includes(target))
  if (unknown) throw new Error(`${unknown} isn't one of ${TARGETS.join(', ')}.`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const commit = gitCommit()
  const time = await timeOf(commit)
  for (const target of targets.length > 0 ? targets : TARGETS) {
    const name = `bellhop-${version}-${target}`
    const files = await filesOf(target, name)
    const isWindows = target.startsWith('windows')
    const file = `${name}${isWindows ? '.zip' : '.tar.gz'}`
    writeFileSync(join(folder, file), isWindows ? zip(files, time) : await tarGz(files, time))
    process.stdout.write(`${file}\n`)
  }
  for (const { name, bytes } of await buildClients(time)) {
    writeFileSync(join(folder, name), bytes)
    process.stdout.write(`${name}\n`)
  }
  const pages = `bellhop-${version}-pages.tar.gz`
  writeFileSync(join(folder, pages), await packPages(WEB, time))
  process.stdout.write(`${pages}\n`)
  const bill = sbom({ version, commit, time }, bundledPackages())
  writeFileSync(join(folder, `bellhop-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`)
  for (const file of readdirSync(MONITORING)) {
    writeFileSync(join(folder, `bellhop-${file}`), readFileSync(join(MONITORING, file)))
  }
  writeFileSync(join(folder, 'SHA256SUMS'), sumsOf(folder))
}

/** SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/), or when the commit was made. */
async function timeOf(commit: string): Promise<Date> {
  const given = process.env.SOURCE_DATE_EPOCH
  const seconds = given ?? (await Bun.$`git show -s --format=%ct ${commit}`.cwd(ROOT).text())
  return new Date(Number(seconds) * 1000)
}

async function filesOf(target: string, folder: string): Promise<ArchivedFile[]> {
  const program = target.startsWith('windows') ? 'bellhop.exe' : 'bellhop'
  const notices = new TextEncoder().encode(`${licenseTexts()}\n`)
  return [
    { name: `${folder}/${program}`, bytes: await compile(target, program), isProgram: true },
    { name: `${folder}/LICENSE`, bytes: readFileSync(join(ROOT, 'LICENSE')) },
    { name: `${folder}/THIRD-PARTY-NOTICES.txt`, bytes: notices },
  ]
}

/** Runs the command of `bun run build` for another system. Downloads that system's Bun once, from the package registry. */
async function compile(target: string, program: string): Promise<Uint8Array> {
  const [, bundle = ''] = scripts.build.split(' && bun ')
  const place = mkdtempSync(join(tmpdir(), 'bellhop-release-'))
  const args = bundle.replace('dist/bellhop', join(place, program)).split(' ')
  const command = [process.execPath, ...args, `--target=bun-${target}`]
  const child = Bun.spawn(command, { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' })
  const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  if (code !== 0) throw new Error(`${target}: ${errors}`)
  const bytes = readFileSync(join(place, program))
  rmSync(place, { recursive: true })
  return bytes
}

/** In the format of sha256sum: `sha256sum --check SHA256SUMS`. */
function sumsOf(folder: string): string {
  const files = readdirSync(folder).sort()
  const sum = (file: string) =>
    new Bun.CryptoHasher('sha256').update(readFileSync(join(folder, file))).digest('hex')
  return files.map((file) => `${sum(file)}  ${file}\n`).join('')
}

const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: join(ROOT, 'dist/release') } },
  allowPositionals: true,
})
await release(resolve(values.out), positionals)

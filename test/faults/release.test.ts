import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Version } from '@cyclonedx/cyclonedx-library/Spec'
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation'
import { version } from '../../package.json' with { type: 'json' }
import { temporaryFolder } from '../support/folder.ts'
import { runProgram, SOURCES } from '../support/program.ts'
import { requireBuiltWeb } from '../support/web.ts'

/** It builds the program twice. */
const MAX_TEST_MS = 180_000
const SCHEMA = new JsonStrictValidator(Version.v1dot6)
const ROOT = join(import.meta.dir, '../..')
const TARGET = `linux-${process.arch}`
const NAME = `bellhop-${version}-${TARGET}`

test(
  'a release is a program with its licenses, checksums, and a list of what is in it, the same whenever it is made',
  async () => {
    await requireBuiltWeb()
    const folder = temporaryFolder('release')
    const [first, second] = [join(folder, 'first'), join(folder, 'second')]
    for (const out of [first, second]) {
      const done = await runProgram(environment(), ['--out', out, TARGET], RELEASE, ROOT)
      expect([done.err, done.code]).toEqual(['', 0])
    }
    expect(readdirSync(first).sort()).toEqual([
      'SHA256SUMS',
      `${NAME}.tar.gz`,
      `bellhop-${version}-pages.tar.gz`,
      `bellhop-${version}.cdx.json`,
      'bellhop-alerts.yml',
      `bellhop-client-${version}.tgz`,
      `bellhop-client-go-${version}.zip`,
      'bellhop-dashboard.json',
      `bellhop_client-${version}-py3-none-any.whl`,
    ])
    expect(readFileSync(join(first, 'SHA256SUMS'), 'utf8')).toBe(
      readFileSync(join(second, 'SHA256SUMS'), 'utf8'),
    )
    const checked = await runProgram({ PATH: '/usr/bin:/bin' }, ['-c', 'SHA256SUMS'], ['sha256sum'], first)
    expect([checked.err, checked.code]).toEqual(['', 0])

    const unpacked = await runProgram({ PATH: '/usr/bin:/bin' }, ['xzf', `${NAME}.tar.gz`], ['tar'], first)
    expect([unpacked.err, unpacked.code]).toEqual(['', 0])
    const program = [join(first, NAME, 'bellhop')]
    const commit = (
      await runProgram({ PATH: '/usr/bin:/bin' }, ['rev-parse', 'HEAD'], ['git'], ROOT)
    ).out.slice(0, 12)
    expect((await runProgram({ PATH: '' }, ['--version'], program, folder)).out).toBe(
      `${version} (commit ${commit})\n`,
    )
    const licenses = (await runProgram({ PATH: '' }, ['licenses'], program, folder)).out
    expect(licenses).toBe(readFileSync(join(first, NAME, 'THIRD-PARTY-NOTICES.txt'), 'utf8'))
    const sbom = readFileSync(join(first, `bellhop-${version}.cdx.json`), 'utf8')
    expect(await SCHEMA.validate(sbom)).toBeNull()
    // Otherwise the validator takes anything.
    expect(await SCHEMA.validate(sbom.replace('"type": "library"', '"type": "book"'))).not.toBeNull()
    const { components } = JSON.parse(sbom)
    const names = components.map((one: { name: string }) => one.name)
    expect(names).toContainValues(['bun', 'elysia', 'solid-js', 'postal-mime'])
    expect(names).not.toContain('typescript')
    for (const one of components)
      expect(licenses).toContain(`${one.name === 'bun' ? 'Bun' : one.name} ${one.version}`)
  },
  MAX_TEST_MS,
)

test('a target that is not known makes no release', async () => {
  const folder = temporaryFolder('no-release')
  const done = await runProgram(environment(), ['--out', folder, 'linux-vax'], RELEASE, ROOT)
  expect([done.code, done.err]).toEqual([1, expect.stringContaining("linux-vax isn't one of linux-x64")])
})

const RELEASE = [SOURCES[0] ?? '', join(ROOT, 'release/release.ts')]

function environment() {
  return { PATH: '/usr/bin:/bin', HOME: process.env.HOME ?? '/' }
}

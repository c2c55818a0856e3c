import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../package.json' with { type: 'json' }
import { type ArchivedFile, tarGz, zip } from '../archives.ts'

const LICENSE = join(import.meta.dir, '../../LICENSE')
const COMPILER = join(import.meta.dir, '../../node_modules/typescript/bin/tsc')
const SUMMARY = 'Client of the Bellhop API'

export interface BuiltClient {
  name: string
  bytes: Uint8Array
}

/** The clients as their package managers install them, of the version of the program. The same files make the same bytes. */
export async function buildClients(time: Date): Promise<BuiltClient[]> {
  return [await buildTypeScript(time), buildPython(time), buildGo(time)]
}

/** For npm. */
async function buildTypeScript(time: Date): Promise<BuiltClient> {
  const folder = join(import.meta.dir, 'typescript')
  const out = mkdtempSync(join(tmpdir(), 'bellhop-client-'))
  try {
    const command = [process.execPath, COMPILER, '--project', folder, '--outDir', out]
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
    const [faults, code] = await Promise.all([new Response(child.stdout).text(), child.exited])
    if (code !== 0) throw new Error(faults)
    const facts = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const files = [
      { name: 'package.json', bytes: encode(`${JSON.stringify({ ...facts, version }, null, 2)}\n`) },
      { name: 'README.md', bytes: readFileSync(join(folder, 'README.md')) },
      { name: 'LICENSE', bytes: readFileSync(LICENSE) },
      ...filesIn(out, 'dist'),
    ]
    const packed = files.map((file) => ({ ...file, name: `package/${file.name}` }))
    return { name: `bellhop-client-${version}.tgz`, bytes: await tarGz(packed, time) }
  } finally {
    rmSync(out, { recursive: true })
  }
}

/** A wheel for pip (https://packaging.python.org/specifications/binary-distribution-format/). */
function buildPython(time: Date): BuiltClient {
  const folder = join(import.meta.dir, 'python')
  const about = `bellhop_client-${version}.dist-info`
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  const facts = {
    'Metadata-Version': '2.4',
    Name: 'bellhop-client',
    Version: version,
    Summary: SUMMARY,
    'Requires-Python': '>=3.11',
    'License-Expression': 'MIT',
    'License-File': 'LICENSE',
    'Description-Content-Type': 'text/markdown',
  }
  const wheel = {
    'Wheel-Version': '1.0',
    Generator: 'bellhop',
    'Root-Is-Purelib': 'true',
    Tag: 'py3-none-any',
  }
  const files = [
    ...filesIn(join(folder, 'bellhop'), 'bellhop'),
    { name: `${about}/METADATA`, bytes: encode(`${linesOf(facts)}\n${readme}`) },
    { name: `${about}/WHEEL`, bytes: encode(linesOf(wheel)) },
    { name: `${about}/licenses/LICENSE`, bytes: readFileSync(LICENSE) },
  ]
  const record = [...files.map(recordOf), `${about}/RECORD,,\n`].join('')
  const all = [...files, { name: `${about}/RECORD`, bytes: encode(record) }]
  return { name: `bellhop_client-${version}-py3-none-any.whl`, bytes: zip(all, time) }
}

/** A module (https://go.dev/ref/mod#zip-files). */
function buildGo(time: Date): BuiltClient {
  const folder = join(import.meta.dir, 'go')
  const [, module = ''] = /^module (\S+)/.exec(readFileSync(join(folder, 'go.mod'), 'utf8')) ?? []
  const files = [...filesIn(folder, ''), { name: 'LICENSE', bytes: readFileSync(LICENSE) }]
  const packed = files.map((file) => ({ ...file, name: `${module}@v${version}/${file.name}` }))
  return { name: `bellhop-client-go-${version}.zip`, bytes: zip(packed, time) }
}

function filesIn(folder: string, prefix: string): ArchivedFile[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return names
    .map(({ name }) => ({
      name: prefix ? `${prefix}/${name}` : name,
      bytes: readFileSync(join(folder, name)),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

function recordOf({ name, bytes }: ArchivedFile): string {
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('base64url')
  return `${name},sha256=${hash},${bytes.byteLength}\n`
}

function linesOf(facts: Record<string, string>): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

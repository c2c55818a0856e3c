import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiDocument, documentOfClients, markOf } from './document.ts'

// `bun run clients`: generates the types of the clients from the API description of this version. Needs Python and Go.

const SERVER = [process.execPath, join(import.meta.dir, '../../server/main.ts'), 'serve']
const TYPESCRIPT = [
  'npx',
  '--yes',
  '-p',
  'typescript@5.9.3',
  '-p',
  'openapi-typescript@7.13.0',
  'openapi-typescript',
]
const PYTHON = 'datamodel-code-generator==0.89.0'
const PYTHON_OPTIONS = [
  '--input-file-type=openapi',
  '--output-model-type=typing.TypedDict',
  '--target-python-version=3.11',
  '--formatters=builtin',
  '--use-schema-description',
  '--use-field-description',
]
const GO_CONFIG = {
  package: 'bellhop',
  generate: { models: true },
  // The core uses problems, which no operation here answers with.
  'output-options': { 'skip-prune': true },
}
const GO = ['go', 'run', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2']

const folder = mkdtempSync(join(tmpdir(), 'bellhop-clients-'))
try {
  const document = await readDocument()
  const mark = markOf(document)
  const input = join(folder, 'openapi.json')
  writeFileSync(input, JSON.stringify(documentOfClients(document)))
  write('typescript/src/types.ts', `// ${mark}`, await run([...TYPESCRIPT, input]))
  write('python/bellhop/types.py', `# ${mark}`, await pythonTypes(input))
  const config = join(folder, 'go.json')
  writeFileSync(config, JSON.stringify(GO_CONFIG))
  write('go/types.go', `// ${mark}`, withoutRuntime(await run([...GO, '-config', config, input])))
  await run(['gofmt', '-w', join(import.meta.dir, 'go/types.go')])
} finally {
  rmSync(folder, { recursive: true })
}

/** From a server with an empty data folder. */
async function readDocument(): Promise<ApiDocument> {
  const env = { PATH: process.env.PATH, PORT: '0', BELLHOP_DATA: join(folder, 'data') }
  const server = Bun.spawn(SERVER, { env, stdout: 'pipe', stderr: 'ignore' })
  try {
    let printed = ''
    for await (const text of server.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text
      const url = /running at (\S+)\n/.exec(printed)?.[1]
      if (url) return await (await fetch(`${url}/v1/openapi.json`)).json()
    }
    throw new Error(`The server didn't start: ${printed}`)
  } finally {
    server.kill()
    await server.exited
  }
}

/** The module has no dependencies: what merges values of several types needs one, and no one needs it. */
function withoutRuntime(text: string): string {
  return text
    .replaceAll(/\n\/\/ Merge\w+ .*\nfunc .*\{\n(?:\t.*\n|\n)*\}\n/g, '')
    .replace('\t"github.com/oapi-codegen/runtime"\n', '')
}

async function pythonTypes(input: string): Promise<string> {
  const place = join(folder, 'python')
  await run(['python3', '-m', 'venv', place])
  await run([join(place, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', PYTHON])
  const command = [join(place, 'bin/datamodel-codegen'), '--input', input, ...PYTHON_OPTIONS]
  const text = await run(command)
  return text.replaceAll(/^#.*\n/gm, '').replace('from typing_extensions import', 'from typing import')
}

function write(file: string, mark: string, text: string): void {
  writeFileSync(join(import.meta.dir, file), `${mark}\n\n${text.trim()}\n`)
}

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${command.join(' ')}: ${err}`)
  return out
}

import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { markOf } from '../../release/clients/document.ts'
import { call, startBellhop } from '../support/bellhop.ts'

const CLIENTS = join(import.meta.dir, '../../release/clients')
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

test.each(['typescript/src/types.ts', 'python/bellhop/types.py', 'go/types.go'])(
  'the types in %s are those of the API description; if not, run: bun run clients',
  async (file) => {
    const { json } = await call<Parameters<typeof markOf>[0]>('GET', `${bellhop.url}/v1/openapi.json`)
    const [mark] = (await Bun.file(join(CLIENTS, file)).text()).split('\n')
    expect(mark).toEndWith(markOf(json))
  },
)

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { PROGRAM, startProgram } from '../support/program.ts'

test.if(process.platform === 'linux')('a server that may open few files says so, and starts', async () => {
  const folder = temporaryFolder('few-files')
  const limited = (limit: number) => {
    const script = `ulimit -n ${limit} && exec "$@" 2>${join(folder, String(limit))}`
    return ['/bin/sh', '-c', script, 'sh', ...PROGRAM]
  }
  for (const limit of [200, 2_000]) {
    await using server = await startProgram({ BELLHOP_DATA: join(folder, 'data') }, limited(limit))
    expect(await server.end('SIGTERM')).toBe(0)
  }
  expect(await Bun.file(join(folder, '200')).text()).toBe(
    'This process may open only 200 files and connections. Raise the limit to 4096 or more: ulimit -Hn, or LimitNOFILE= in systemd.\n',
  )
  expect(await Bun.file(join(folder, '2000')).text()).toBe('')
})

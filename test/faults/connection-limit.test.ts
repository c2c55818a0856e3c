import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { PROGRAM } from '../support/program.ts'
import { rawRequest } from '../support/raw-request.ts'
import { startSeparateBellhop } from '../support/separate-bellhop.ts'
import { openConnection, openConnections } from '../support/sockets.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const DESCRIPTORS = 256
/** Without what is kept for files and other connections. */
const MOST = 224
const STRANGER = '127.0.0.2'
const UNFINISHED = 'GET /health/live HTTP/1.1\r\nhost: localhost\r\nx: '

test.if(process.platform === 'linux')(
  'more connections than file descriptors cost neither the server nor other addresses anything, and are logged once',
  async () => {
    const logFile = join(temporaryFolder('log'), 'log')
    const limited = ['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@" 2>${logFile}`, ...PROGRAM]
    await using bellhop = await startSeparateBellhop({ BELLHOP_LOG: 'warn' }, limited)
    const acme = await bellhop.organization()
    const { id } = await makeTicket(acme)
    const read = () =>
      rawRequest(bellhop.url, {
        method: 'GET',
        target: `/v1/tickets/${id}`,
        headers: { authorization: `Bearer ${acme.key}` },
      })
    using mine = await openConnection(bellhop.url, UNFINISHED)
    let flood = 0
    for (let wave = 0; wave < 3; wave += 1) {
      const strangers = await openConnections(DESCRIPTORS, () =>
        openConnection(bellhop.url, UNFINISHED, STRANGER),
      )
      flood += strangers.length
      // Those that are over the limit are closed without an answer.
      await eventually(() => readdirSync(`/proc/${bellhop.pid}/fd`).length <= MOST)
      expect((await read()).status).toBe(200)
      expect((await read()).status).toBe(200)
      for (const one of strangers) one[Symbol.dispose]()
    }
    expect(flood).toBe(3 * DESCRIPTORS)
    mine.socket.write('a\r\n\r\n')
    expect(await mine.status()).toBe(200)
    // Other work can fail in the moment before.
    const lines = readFileSync(logFile, 'utf8').trim().split('\n')
    expect(lines.filter((line) => line.includes('too_many_connections'))).toHaveLength(1)
  },
)

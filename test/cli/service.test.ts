import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { eventually } from '../support/webhooks.ts'

const SYSTEM = { PATH: '/usr/sbin:/usr/bin:/bin' }
const analyze = Bun.which('systemd-analyze')
const python = Bun.which('python3')
if (!analyze) console.warn('Without systemd-analyze, the unit of the service is not checked.')
if (!python) console.warn('Without Python, what systemd is told is not checked.')

test.if(analyze !== null)(
  'the unit of the service has no faults, and little access to the machine',
  async () => {
    const printed = await runProgram({}, ['service', 'install', '--print'])
    expect([printed.code, printed.err]).toEqual([0, ''])
    expect(printed.out).toContain(
      'ExecStart=/usr/local/bin/bellhop serve --env-file /etc/bellhop/bellhop.env\nUser=bellhop\n',
    )
    const unit = join(temporaryFolder('unit'), 'bellhop.service')
    // A program that is on every machine.
    await Bun.write(unit, printed.out.replace('/usr/local/bin/bellhop', '/bin/true'))
    const verified = await runProgram(SYSTEM, ['verify', '--man=no', unit], [analyze ?? ''])
    expect([verified.code, verified.out, verified.err]).toEqual([0, '', ''])
    const limit = ['security', '--offline=true', '--threshold=20', unit]
    expect((await runProgram(SYSTEM, limit, [analyze ?? ''])).code).toBe(0)
  },
)

test.if(!existsSync('/run/systemd/system'))('without systemd, nothing is installed', async () => {
  for (const command of ['install', 'uninstall', 'status']) {
    const done = await runProgram(SYSTEM, ['service', command])
    expect([done.code, done.out, done.err]).toEqual([
      1,
      '',
      'systemd does not run here. Start "bellhop serve" with the service manager of this machine.\n',
    ])
  }
  expect(existsSync('/etc/systemd/system/bellhop.service')).toBe(false)
})

const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1].replace('@', chr(0), 1))
print('bound', flush=True)
while True: print(receiver.recv(4096).decode(), flush=True)`

for (const kind of ['a path', 'an abstract name']) {
  test.if(python !== null)(
    `systemd is told that the server is ready, alive, and stopping, at ${kind}`,
    async () => {
      const folder = temporaryFolder('notify')
      const address = kind === 'a path' ? join(folder, 'socket') : `@${folder}`
      const child = Bun.spawn([python ?? '', '-c', RECEIVER, address], { stdout: 'pipe' })
      let received = ''
      const reading = (async () => {
        for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) received += text
      })()
      await eventually(() => received.includes('bound'))
      const place = { BELLHOP_DATA: folder, NOTIFY_SOCKET: address, WATCHDOG_USEC: '100000' }
      await using server = await startProgram(place)
      await eventually(() => (received.match(/WATCHDOG=1\n/g)?.length ?? 0) >= 2)
      expect(received).toStartWith(
        `bound\nREADY=1\nSTATUS=Running at ${server.url}\nWATCHDOG=1\nWATCHDOG=1\n`,
      )
      expect((await runProgram({ BELLHOP_DATA: folder }, ['health'])).out).toBe(
        `The server at ${server.url} is ready.\n`,
      )
      expect(await server.end('SIGTERM')).toBe(0)
      // The server has ended, but its last words may still be on their way through the receiver.
      await eventually(() => received.includes('STATUS=Stopping\n'))
      child.kill()
      await reading
      expect(received).toEndWith('WATCHDOG=1\nSTOPPING=1\nSTATUS=Stopping\n')
      const asked = await runProgram({ BELLHOP_DATA: folder }, ['health'])
      expect([asked.code, asked.err]).toEqual([1, `No server runs on the data folder ${folder}.\n`])
    },
  )
}

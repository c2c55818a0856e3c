import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { makeCertificates } from '../certificates.ts'
import { temporaryFolder } from '../folder.ts'
import { type BackgroundProgram, backgroundProgram } from './background-program.ts'
import type { Dovecot, Raw } from './dovecot.ts'
import { reservePort } from './ports.ts'
import { mainSettings, masterSettings } from './postfix-settings.ts'

const MASTER = '/usr/lib/postfix/sbin/master'
/** Where mails are on their way. */
const IN_QUEUE = ['maildrop', 'incoming', 'active', 'deferred']
const WAIT_EVERY_MS = 20
const MAX_WAIT_MS = 30_000
/** Folders of the queue and their modes, as Postfix's own `postfix-files` names them. Those with a group are open to `postdrop`. */
const QUEUE_FOLDERS: Record<string, number> = {
  ...Object.fromEntries(
    [
      'active',
      'bounce',
      'corrupt',
      'defer',
      'deferred',
      'flush',
      'hold',
      'incoming',
      'private',
      'saved',
      'trace',
    ].map((name) => [name, 0o700]),
  ),
  maildrop: 0o730,
  public: 0o710,
}

/** Its mails on their way survive `stop` and go on after `start`. */
export interface Postfix extends BackgroundProgram {
  host: string
  /** For mail from elsewhere: without signing in, to users only. STARTTLS is offered. */
  port: number
  /** For users: STARTTLS and signing in are required. */
  submissionPort: number
  /** For users: TLS from the first byte. */
  submissionsPort: number
  /** Adds a user here and in Dovecot. */
  addUser(address: string, password: string): Promise<void>
  /** Mails to an address go to others, which may be users or addresses of a route. */
  addAlias(address: string, to: string[]): Promise<void>
  /** Hands a mail over as a server elsewhere does. Rejects with `responseCode` when it is refused. */
  send(mail: { from: string; to: string | string[]; raw: Raw }): Promise<void>
  /** Mails on their way or waiting for the next attempt. */
  queued(): Promise<{ id: string; sender: string; recipients: string[]; reasons: string[] }[]>
  /** Waits until no mail is left on its way. */
  waitUntilEmpty(): Promise<void>
  /** Attempts everything that waits now. */
  flush(): Promise<void>
  log(): string
}

/**
 * Starts a private Postfix on 127.0.0.1 beside a Dovecot: it delivers to Dovecot's users (`support+anything@` reaches
 * `support@`), lets them submit with their passwords and tokens, and writes delivery reports for what it cannot
 * deliver. Needs root.
 */
export async function startPostfix(given: {
  dovecot: Dovecot
  /** Domains and the ports of the servers that take their mail. */
  routes?: Record<string, number>
  aliases?: Record<string, string[]>
  /** Settings of `main.cf` that replace ours. */
  settings?: Record<string, string>
}): Promise<Postfix> {
  const { dovecot } = given
  const folder = temporaryFolder('postfix')
  chmodSync(folder, 0o755)
  const [port, submissionPort, submissionsPort] = [reservePort(), reservePort(), reservePort()]
  const { valid } = await makeCertificates()
  const config = join(folder, 'config')
  const queue = join(folder, 'queue')
  makeFolders(folder)
  writeFileSync(join(folder, 'certificate.pem'), `${valid.key}\n${valid.cert}\n`, { mode: 0o600 })
  writeFileSync(
    join(config, 'main.cf'),
    mainSettings({ ...dovecot, folder, hostName: 'mail.test', settings: given.settings ?? {} }),
  )
  writeFileSync(join(config, 'master.cf'), masterSettings({ port, submissionPort, submissionsPort }))
  const aliases = new Map(Object.entries(given.aliases ?? {}))
  const routes = new Map(Object.entries(given.routes ?? {}))
  const program = backgroundProgram({
    command: [MASTER, '-s'],
    env: { MAIL_CONFIG: config },
    ports: [port, submissionPort, submissionsPort],
    log: () => postfix.log(),
  })

  const postfix: Postfix = {
    host: '127.0.0.1',
    port,
    submissionPort,
    submissionsPort,
    async addUser(address, password) {
      dovecot.addUser(address, password)
      await update()
    },
    async addAlias(address, to) {
      aliases.set(address, to)
      await update()
    },
    async send({ from, to, raw }) {
      const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true })
      try {
        await transport.sendMail({ envelope: { from, to }, raw: Buffer.from(raw) })
      } finally {
        transport.close()
      }
    },
    async queued() {
      const rows = (await run('postqueue', '-c', config, '-j')).split('\n').filter((line) => line !== '')
      return rows.map(toQueued)
    },
    async waitUntilEmpty() {
      for (let waited = 0; countQueued(queue) > 0; waited += WAIT_EVERY_MS) {
        if (waited > MAX_WAIT_MS) throw new Error(`${countQueued(queue)} mails stay.\n${postfix.log()}`)
        await Bun.sleep(WAIT_EVERY_MS)
      }
    },
    async flush() {
      await run('postqueue', '-c', config, '-f')
    },
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    ...program,
  }

  async function writeMaps(): Promise<void> {
    const addresses = [...dovecot.addresses()]
    const ours = new Set([...addresses, ...aliases.keys()].map((address) => address.split('@')[1] ?? ''))
    await writeMap(
      'domains',
      [...ours].map((domain) => [domain, 'ours']),
    )
    await writeMap(
      'users',
      addresses.map((address) => [address, `${address}/Maildir/`]),
    )
    await writeMap(
      'aliases',
      [...aliases].map(([address, to]) => [address, to.join(', ')]),
    )
    await writeMap(
      'routes',
      [...routes].map(([domain, to]) => [domain, `smtp:[127.0.0.1]:${to}`]),
    )
  }

  /** Postfix notices new addresses at once, and new domains after a while. */
  async function update(): Promise<void> {
    const before = mapOf('domains') + mapOf('routes')
    await writeMaps()
    if (before === mapOf('domains') + mapOf('routes') || !program.isRunning()) return
    await program.stop()
    await program.start()
  }

  function mapOf(name: string): string {
    return readFileSync(join(folder, 'maps', name), 'utf8')
  }

  async function writeMap(name: string, rows: [string, string][]): Promise<void> {
    const file = join(folder, 'maps', name)
    writeFileSync(file, rows.map(([key, value]) => `${key} ${value}\n`).join(''))
    await run('postmap', '-c', config, `hash:${file}`)
  }

  await writeMaps()
  await program.start()
  return postfix
}

function makeFolders(folder: string): void {
  const [user, group] = [idOf('passwd', 'postfix'), idOf('group', 'postdrop')]
  for (const name of ['config', 'maps', 'queue', 'queue/pid', 'data']) mkdirSync(join(folder, name))
  chownSync(join(folder, 'data'), user, 0)
  writeFileSync(join(folder, 'log'), '')
  for (const [name, mode] of Object.entries(QUEUE_FOLDERS)) {
    const path = join(folder, 'queue', name)
    mkdirSync(path)
    chownSync(path, user, mode === 0o700 ? 0 : group)
    chmodSync(path, mode)
  }
}

function idOf(table: 'passwd' | 'group', name: string): number {
  const line = readFileSync(`/etc/${table}`, 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`))
  if (!line) throw new Error(`/etc/${table} names no ${name}.`)
  return Number(line.split(':')[2])
}

function countQueued(queue: string): number {
  return IN_QUEUE.flatMap((name) =>
    readdirSync(join(queue, name), { recursive: true, withFileTypes: true }),
  ).filter((entry) => entry.isFile()).length
}

function toQueued(line: string) {
  const row: unknown = JSON.parse(line)
  const {
    queue_id: id,
    sender,
    recipients,
  } = row as {
    queue_id: string
    sender: string
    recipients: { address: string; delay_reason?: string }[]
  }
  return {
    id,
    sender,
    recipients: recipients.map(({ address }) => address),
    reasons: recipients.flatMap(({ delay_reason: reason }) => reason ?? []),
  }
}

async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [code, said, complaint] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${complaint}`)
  return said
}

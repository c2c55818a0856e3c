import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ImapFlow } from 'imapflow'
import { type Certificate, makeCertificates } from '../certificates.ts'
import { temporaryFolder } from '../folder.ts'
import { type BackgroundProgram, backgroundProgram } from './background-program.ts'
import { dovecotSettings } from './dovecot-settings.ts'
import { countMails, forgetUids, makeMaildir, putMail } from './maildir.ts'
import { reservePort } from './ports.ts'

/** Owns the mails. It needs no account, and has system limits of its own. */
const MAIL_ID = 5_000
/** Those of Dovecot are the time in seconds. */
const FIRST_UID_VALIDITY = 3_000_000_000
const WAIT_EVERY_MS = 20
const MAX_WAIT_MS = 30_000

export type Raw = string | Uint8Array

export interface StoredMail {
  uid: number
  flags: Set<string>
  subject?: string
  messageId?: string
  /** Addresses only. */
  from: string[]
  to: string[]
  /** Bytes, as the server counts them. */
  size: number
}

/** Its `stop` ends every connection; `start` brings it back on the same ports with the same mails. */
export interface Dovecot extends BackgroundProgram {
  host: string
  /** With STARTTLS. A password before it is taken too, as Dovecot does on its own machine. */
  imapPort: number
  /** TLS from the first byte. */
  imapsPort: number
  /** Where Postfix asks whether a password or token is good. */
  saslSocket: string
  /** A Maildir for each user, `<address>/Maildir`, owned by `mailId`. */
  mailFolder: string
  mailId: number
  addresses(): string[]
  /** With Postfix running, add users through it. */
  addUser(address: string, password: string): void
  setPassword(address: string, password: string): void
  /** Puts a mail into the folder as a delivery agent does. Works while the server is stopped. Bytes stay as they are. */
  deliver(address: string, raw: Raw, folder?: string): void
  /** IMAP APPEND, as another mail program of the user does; answers the UID. */
  append(address: string, raw: Raw, given?: { folder?: string; flags?: string[]; at?: Date }): Promise<number>
  /** All mails of a folder by UID. */
  mails(address: string, folder?: string): Promise<StoredMail[]>
  /** One mail, with CR LF at the ends of lines. */
  read(address: string, uid: number, folder?: string): Promise<Buffer>
  /** Waits until the folder holds at least so many mails and answers them. */
  waitForMails(address: string, count: number, folder?: string): Promise<StoredMail[]>
  /** Sets flags as another mail program does, such as `\\Seen`. */
  addFlags(address: string, uids: number[] | 'all', flags: string[], folder?: string): Promise<void>
  removeMails(address: string, uids: number[] | 'all', folder?: string): Promise<void>
  createFolder(address: string, folder: string): Promise<void>
  renameFolder(address: string, folder: string, name: string): Promise<void>
  removeFolder(address: string, folder: string): Promise<void>
  /** The folder gets another UIDVALIDITY and its mails keep their UIDs, or, as after a rebuilt index, count from 1 again. */
  changeUidValidity(address: string, given?: { folder?: string; renumber?: boolean }): Promise<void>
  /** Ends all connections of the user with BYE. */
  disconnect(address: string): Promise<void>
  /** Runs `work` with a connection of the user. */
  asUser<T>(address: string, work: (client: ImapFlow) => Promise<T>): Promise<T>
  log(): string
}

/**
 * Starts a private Dovecot on 127.0.0.1 with a certificate of the private authority. Needs root. `tokenInfo` is the
 * address that tells about OAuth tokens: it makes XOAUTH2 and OAUTHBEARER available, here and for Postfix.
 */
export async function startDovecot(given: {
  /** Addresses and their passwords. */
  users: Record<string, string>
  tokenInfo?: string
  certificate?: Certificate
  /** Further lines for the configuration. */
  settings?: string
}): Promise<Dovecot> {
  const folder = temporaryFolder('dovecot')
  // The programs that read mails have no rights and come in here.
  chmodSync(folder, 0o755)
  const { ca, valid } = await makeCertificates()
  const { cert, key } = given.certificate ?? valid
  const [imapPort, imapsPort] = [reservePort(), reservePort()]
  const paths = {
    config: join(folder, 'dovecot.conf'),
    log: join(folder, 'log'),
    passwords: join(folder, 'passwords'),
    mail: join(folder, 'mail'),
    sasl: join(folder, 'run/sasl'),
  }
  const passwords = new Map<string, string>()
  mkdirSync(paths.mail)
  mkdirSync(paths.passwords)
  writeFileSync(paths.log, '')
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
  for (const [name, text] of Object.entries(
    dovecotSettings({ folder, imapPort, imapsPort, mailId: MAIL_ID, ...given }),
  )) {
    writeFileSync(join(folder, name), text)
  }

  let uidValidity = FIRST_UID_VALIDITY
  const program = backgroundProgram({
    command: ['dovecot', '-F', '-c', paths.config],
    ports: [imapPort, imapsPort],
    log: () => dovecot.log(),
  })

  const dovecot: Dovecot = {
    host: '127.0.0.1',
    imapPort,
    imapsPort,
    saslSocket: paths.sasl,
    mailFolder: paths.mail,
    mailId: MAIL_ID,
    addresses: () => [...passwords.keys()],
    addUser(address, password) {
      makeMaildir(maildirOf(address), MAIL_ID)
      dovecot.setPassword(address, password)
    },
    setPassword(address, password) {
      passwords.set(address, password)
      const file = join(paths.passwords, address)
      writeFileSync(`${file}.new`, JSON.stringify({ password: `{PLAIN}${password}` }))
      renameSync(`${file}.new`, file)
    },
    deliver(address, raw, name) {
      passwordOf(address)
      putMail(maildirOf(address, name), raw, MAIL_ID)
    },
    append: (address, raw, { folder: name = 'INBOX', flags, at } = {}) =>
      dovecot.asUser(address, async (client) => {
        const done = await client.append(name, Buffer.from(raw), flags, at)
        if (!done || done.uid === undefined) throw new Error(`${name} of ${address} took no mail.`)
        return done.uid
      }),
    mails: (address, name = 'INBOX') =>
      dovecot.asUser(address, async (client) => {
        const box = await client.mailboxOpen(name, { readOnly: true })
        return box.exists === 0 ? [] : listMails(client)
      }),
    read: (address, uid, name = 'INBOX') =>
      dovecot.asUser(address, async (client) => {
        await client.mailboxOpen(name, { readOnly: true })
        const mail = await client.fetchOne(String(uid), { source: true }, { uid: true })
        const source = mail ? mail.source : undefined
        if (!source) throw new Error(`${name} of ${address} holds no mail ${uid}.`)
        return source
      }),
    async waitForMails(address, count, name) {
      const maildir = maildirOf(address, name)
      for (let waited = 0; countMails(maildir) < count; waited += WAIT_EVERY_MS) {
        if (waited > MAX_WAIT_MS) {
          throw new Error(`${address} has ${countMails(maildir)} of ${count} mails.\n${dovecot.log()}`)
        }
        await Bun.sleep(WAIT_EVERY_MS)
      }
      return dovecot.mails(address, name)
    },
    addFlags: (address, uids, flags, name = 'INBOX') =>
      dovecot.asUser(address, async (client) => {
        await client.mailboxOpen(name)
        await client.messageFlagsAdd(rangeOf(uids), flags, { uid: true })
      }),
    removeMails: (address, uids, name = 'INBOX') =>
      dovecot.asUser(address, async (client) => {
        await client.mailboxOpen(name)
        await client.messageDelete(rangeOf(uids), { uid: true })
      }),
    createFolder: (address, name) => doveadm('mailbox', 'create', '-u', address, name),
    renameFolder: (address, from, to) => doveadm('mailbox', 'rename', '-u', address, from, to),
    removeFolder: (address, name) => doveadm('mailbox', 'delete', '-u', address, name),
    async changeUidValidity(address, { folder: name = 'INBOX', renumber = false } = {}) {
      if (renumber) {
        const wasRunning = program.isRunning()
        await program.stop()
        forgetUids(maildirOf(address, name))
        if (wasRunning) await program.start()
      }
      uidValidity += 1
      await doveadm('mailbox', 'update', '-u', address, '--uid-validity', String(uidValidity), name)
    },
    async disconnect(address) {
      await doveadm('kick', address)
    },
    async asUser(address, work) {
      const auth = { user: address, pass: passwordOf(address) }
      // Trusts its own authority, whichever certificate the test gave the server.
      const tls = given.certificate ? { rejectUnauthorized: false } : { ca }
      const at = { host: 'localhost', port: imapsPort, secure: true, tls }
      const client = new ImapFlow({ ...at, auth, logger: false })
      await client.connect()
      try {
        return await work(client)
      } finally {
        client.close()
      }
    },
    log: () => readFileSync(paths.log, 'utf8'),
    ...program,
  }

  function maildirOf(address: string, name = 'INBOX'): string {
    const root = join(paths.mail, address, 'Maildir')
    return name === 'INBOX' ? root : join(root, `.${name.replaceAll('/', '.')}`)
  }

  function passwordOf(address: string): string {
    const password = passwords.get(address)
    if (password === undefined) throw new Error(`There is no user ${address}.`)
    return password
  }

  async function doveadm(...args: string[]): Promise<void> {
    const child = Bun.spawn(['doveadm', '-c', paths.config, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    const [code, complaint] = await Promise.all([child.exited, new Response(child.stderr).text()])
    // 68: nobody to disconnect.
    if (code !== 0 && code !== 68)
      throw new Error(`doveadm ${args.join(' ')} ended with ${code}: ${complaint}`)
  }

  for (const [address, password] of Object.entries(given.users)) dovecot.addUser(address, password)
  await program.start()
  return dovecot
}

async function listMails(client: ImapFlow): Promise<StoredMail[]> {
  const mails: StoredMail[] = []
  for await (const mail of client.fetch('1:*', { uid: true, flags: true, size: true, envelope: true })) {
    const { uid, flags = new Set(), size = 0, envelope = {} } = mail
    const [from, to] = [envelope.from, envelope.to].map((all = []) => all.map((one) => one.address ?? ''))
    mails.push({
      uid,
      flags,
      size,
      subject: envelope.subject,
      messageId: envelope.messageId,
      from: from ?? [],
      to: to ?? [],
    })
  }
  return mails.sort((a, b) => a.uid - b.uid)
}

function rangeOf(uids: number[] | 'all'): string {
  return uids === 'all' ? '1:*' : uids.join(',')
}

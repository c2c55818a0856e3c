import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { pauseMailbox, resumeMailbox } from '../../server/channels/email/mailboxes/mailbox-state.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { makeCertificates } from '../support/certificates.ts'
import { removeTemporaryFolders } from '../support/folder.ts'
import { readEvents } from '../support/live.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { startSmtpFaults } from '../support/mail/smtp-faults.ts'
import { signInAgent } from './agent-page.ts'
import { type Child, startProduct } from './child.ts'
import { load, rawRequest } from './load.ts'
import { median, type Result } from './result.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const MAILS = 2_000
const ADDRESS = 'support@bench.test'
const PASSWORD = 'bench'
const READS = { connections: 8, milliseconds: 2_000, status: 200 }
const LOOK_EVERY_MS = 200
const NEWS = 40
const NEWS_EVERY_MS = 100
const MAX_WAIT_MS = 600_000

/** Mail from a Dovecot on this machine while `/v1` reads go on, and then a reply to each of them by SMTP. Needs root. */
export async function benchMail(): Promise<Result[]> {
  const dovecot = await startDovecot({ users: { [ADDRESS]: PASSWORD } })
  const smtp = await startSmtpFaults({ users: { [ADDRESS]: PASSWORD } })
  const workspace = await makeWorkspace()
  const settings = await mailSettings(workspace)
  const product = await startProduct(workspace.folder, settings)
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: workspace.folder, ...settings }), { log })
  const database = new Database(workspace.file)
  try {
    const given = { workspace, product, deps, database }
    for (let number = 0; number < MAILS; number += 1) dovecot.deliver(ADDRESS, rawMail(number))
    const taken = await benchTaking(given, dovecot, smtp.port)
    return [...taken, await benchReplies(given), await benchNews(given, dovecot)]
  } finally {
    database.close()
    await deps.database.close()
    await product.stop()
    await smtp.stop()
    await dovecot.stop()
    workspace.remove()
    removeTemporaryFolders()
  }
}

interface Bench {
  workspace: Workspace
  product: Child
  deps: Deps
  database: Database
}

async function benchTaking(
  { workspace, product, deps, database }: Bench,
  { imapsPort }: Dovecot,
  smtpPort: number,
): Promise<Result[]> {
  const { id } = await createTicket(deps, workspace.orgId, {
    subject: 'Late order',
    customer: { email: 'ana@example.com' },
    message: 'Where is it? '.repeat(20),
  })
  const request = rawRequest('GET', `/v1/tickets/${id}`, { authorization: `Bearer ${workspace.key}` })
  const read = async () => (await load(product.port, { ...READS, next: () => request })).perSecond
  const server = { host: '127.0.0.1', user: ADDRESS, password: PASSWORD }
  await read()
  const before = await read()
  await createMailbox(deps, workspace.orgId, {
    name: 'Bench',
    address: ADDRESS,
    imap: { ...server, port: imapsPort, security: 'tls' },
    smtp: { ...server, port: smtpPort, security: 'starttls' },
    importSince: 1,
  })
  const stored = () => countOf(database, "SELECT count(*) FROM mails WHERE outcome = 'message'")
  const beside: number[] = []
  while (stored() < MAILS) beside.push(await read())
  // The last round may have gone on when the last mail was in.
  const during = beside.length > 1 ? beside.slice(0, -1) : beside
  const busy = during.reduce((sum, one) => sum + one, 0) / during.length
  const alone = (before + (await read())) / 2
  const perSecond = MAILS / secondsOf(database, 'SELECT min(created_at), max(processed_at) FROM mails')
  return [
    {
      name: `${MAILS} mails from IMAP to tickets, beside reads`,
      measured: perSecond,
      unit: 'per second',
      target: 100,
      wanted: 'at least',
      detail: `${READS.connections} connections read all the time`,
    },
    {
      name: 'GET a ticket while mails are taken in / alone',
      measured: busy / alone,
      unit: 'ratio',
      target: 0.8,
      wanted: 'at least',
      detail: `${Math.round(busy)} / ${Math.round(alone)} per second`,
    },
  ]
}

/** The replies wait for their mailbox, which is paused, so that only sending is measured. */
async function benchReplies({ workspace, product, deps, database }: Bench): Promise<Result> {
  const mailbox = database.query<{ id: string }, []>('SELECT id FROM mailboxes').get()?.id ?? ''
  await pauseMailbox(deps, workspace.orgId, mailbox)
  const ids = database.query<{ id: string }, []>("SELECT id FROM tickets WHERE channel = 'email'").all()
  const requests = ids.map(({ id }) => replyRequest(workspace.key, id))
  await Promise.all(Array.from({ length: 8 }, () => postAll(product.port, requests)))
  await resumeMailbox(deps, workspace.orgId, mailbox)
  const resumedAt = Date.now()
  const sent = () => countOf(database, "SELECT count(*) FROM sends WHERE state = 'sent'")
  for (let waited = 0; sent() < MAILS; waited += LOOK_EVERY_MS) {
    if (waited > MAX_WAIT_MS) throw new Error(`${sent()} of ${MAILS} replies were sent.`)
    await Bun.sleep(LOOK_EVERY_MS)
  }
  const lastAt = countOf(database, 'SELECT max(finished_at) FROM sends')
  return {
    name: `${MAILS} replies to an SMTP server`,
    measured: MAILS / ((lastAt - resumedAt) / 1000),
    unit: 'per second',
    target: 100,
    wanted: 'at least',
    detail: 'npm smtp-server with STARTTLS, 4 connections',
  }
}

/** A mail on the server until the page of an agent hears of it. The mailbox waits by IDLE. */
async function benchNews({ workspace, product, deps, database }: Bench, dovecot: Dovecot): Promise<Result> {
  const mailbox = database.query<{ id: string }, []>('SELECT id FROM mailboxes').get()?.id ?? ''
  await resumeMailbox(deps, workspace.orgId, mailbox)
  const cookie = await signInAgent(workspace)
  const closing = new AbortController()
  const inbox = await fetch(`http://127.0.0.1:${product.port}/console/live`, {
    headers: { cookie },
    signal: closing.signal,
  })
  let arrived = () => {}
  const reading = readEvents(inbox, (block) => {
    if (block.includes('"ticket.created"')) arrived()
  })
  const times: number[] = []
  for (let number = 0; number < NEWS; number += 1) {
    await Bun.sleep(NEWS_EVERY_MS)
    const isShown = Promise.withResolvers<void>()
    arrived = isShown.resolve
    const deliveredAt = performance.now()
    dovecot.deliver(ADDRESS, rawMail(MAILS + number))
    await isShown.promise
    times.push(performance.now() - deliveredAt)
  }
  closing.abort()
  await reading
  times.sort((one, other) => one - other)
  return {
    name: 'A mail on the server to the page of an agent, p95',
    measured: times[Math.floor(times.length * 0.95)] ?? Number.NaN,
    unit: 'ms',
    target: 2_000,
    wanted: 'at most',
    detail: `by IDLE, ${NEWS} mails, median ${median(times).toFixed(0)} ms`,
  }
}

async function mailSettings({ folder }: Workspace): Promise<Record<string, string>> {
  const { ca } = await makeCertificates()
  const file = join(folder, 'mail-ca.pem')
  await Bun.write(file, ca)
  return { BELLHOP_MAIL_ALLOW: '127.0.0.0/8', BELLHOP_MAIL_CA: file }
}

/** About 3 KB, as most mails are: text, HTML, and a quote. */
function rawMail(number: number): string {
  const text = `Where is my order ${number}? ${'I have been waiting for it. '.repeat(20)}`
  const part = (type: string, content: string) =>
    `--b\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${content}\r\n`
  const html = `<html><body><p style="color:#333">${text}</p><blockquote>${text}</blockquote></body></html>`
  return (
    `From: Ana ${number} <ana${number}@example.com>\r\nTo: ${ADDRESS}\r\nSubject: Order ${number} is late\r\n` +
    `Message-ID: <order-${number}@example.com>\r\nDate: Sun, 22 Nov 2026 08:00:00 +0000\r\nMIME-Version: 1.0\r\n` +
    'Content-Type: multipart/alternative; boundary=b\r\n\r\n' +
    `${part('plain', `${text}\n\nOn Monday, Shop <shop@example.com> wrote:\n> ${text}`)}${part('html', html)}--b--\r\n`
  )
}

interface Reply {
  path: string
  headers: Record<string, string>
}

function replyRequest(key: string, id: string): Reply {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return { path: `/v1/tickets/${id}/messages`, headers }
}

/** Takes from the requests until none is left. */
async function postAll(port: number, requests: Reply[]): Promise<void> {
  for (let next = requests.pop(); next; next = requests.pop()) {
    const body = JSON.stringify({ text: 'Thank you for writing. It arrives tomorrow.' })
    const answer = await fetch(`http://127.0.0.1:${port}${next.path}`, {
      method: 'POST',
      headers: next.headers,
      body,
    })
    if (answer.status !== 201) throw new Error(`A reply was answered with ${answer.status}.`)
    await answer.arrayBuffer()
  }
}

function countOf(database: Database, query: string): number {
  return Number(database.query(query).values()[0]?.[0] ?? 0)
}

function secondsOf(database: Database, query: string): number {
  const [from, to] = database.query(query).values()[0] ?? []
  return (Number(to) - Number(from)) / 1000
}

import type { Readable } from 'node:stream'
import { and, eq, isNull } from 'drizzle-orm'
import { addressKey } from '../../../customers/email-addresses.ts'
import type { FrozenEmail } from '../../../database/tables/mailboxes.ts'
import { mailboxes } from '../../../database/tables/mailboxes.ts'
import type { RecipientOutcome } from '../../../database/tables/sends.ts'
import type { Deps } from '../../../deps.ts'
import type { AttemptResult, Send, Transport } from '../../channel.ts'
import type { MailDeps } from '../mail-account.ts'
import { MailServerError } from '../mail-server-error.ts'
import { mailAccountOf } from '../mailboxes/mailbox-accounts.ts'
import type { Mailbox } from '../mailboxes/mailbox-rows.ts'
import { TokenError } from '../oauth/token-request.ts'
import { composeEmail, type DkimKey, envelopeAddress } from './compose.ts'
import { isByEmail } from './email-content.ts'
import { SentFolder } from './sent-folder.ts'
import { SmtpSession } from './smtp-session.ts'
import type { SmtpResult } from './why-not-sent.ts'

/** Submits emails to the mail servers of their mailboxes. */
export function createEmailTransport(deps: Deps, mailDeps: MailDeps): Transport {
  const pools = new Map<string, SessionPool>()
  let isClosed = false

  async function attempt(send: Send, recipients: string[]): Promise<AttemptResult> {
    if (isClosed) return { outcomes: [], error: '', fault: 'interrupted' }
    if (!isByEmail(send)) throw new Error(`The send ${send.id} isn't an email.`)
    const mailbox = await findMailbox(deps, send)
    if (!mailbox) return failedFor(recipients, 'The mailbox was removed.')
    const opened = await openFiles(deps, send.content)
    if ('fault' in opened) return failedFor(recipients, opened.fault)
    const { blobs } = opened
    const openFile = (hash: string) => blobs.get(hash)?.stream() ?? new Blob([]).stream()
    const email = composeEmail(send.content, { openFile, dkim: await dkimOf(deps, mailbox) })
    const pool = poolOf(mailbox)
    // Reads all of it, so only for a message that may be too large.
    const size = blobs.size > 0 ? { bytes: await email.countBytes() } : {}
    const results: AttemptResult[] = []
    for (const envelope of envelopesOf(send.content, recipients)) {
      const to = envelope.map(envelopeAddress)
      const from = envelopeAddress(mailbox.address)
      const result = await submit(pool, { from, to, body: email.stream, ...size })
      const ended = attemptResult(result, envelope, mailbox)
      results.push(ended)
      // The others would fail as well.
      if (ended.fault !== 'none' && ended.fault !== 'message') break
    }
    const attempted = joinedResult(results)
    const isSent = attempted.outcomes.some(({ state }) => state === 'sent')
    if (isSent && mailbox.sentFolder !== '') {
      pool.sentFolder.add(() => bytesOf(email.stream()))
    }
    return attempted
  }

  /** Sessions are for the settings that they were opened with. */
  function poolOf(mailbox: Mailbox): SessionPool {
    const known = pools.get(mailbox.id)
    if (known?.isFor(mailbox)) return known
    void known?.close()
    const pool = new SessionPool(deps, mailDeps, mailbox)
    pools.set(mailbox.id, pool)
    return pool
  }

  return {
    attempt,
    async close() {
      isClosed = true
      await Promise.all([...pools.values()].map((pool) => pool.close()))
    },
  }
}

/** Requests the sign-in token itself. Any other error is a fault of this server. */
function submit(pool: SessionPool, submission: Submission): Promise<SmtpResult | TokenError> {
  return pool.submit(submission).catch((error) => {
    if (error instanceof TokenError) return error
    throw error
  })
}

type Submission = Parameters<SmtpSession['submit']>[0]

/** One session for each message that is being sent at the same time. */
class SessionPool {
  readonly #idle: SmtpSession[] = []
  readonly #all = new Set<SmtpSession>()
  readonly sentFolder: SentFolder

  constructor(
    private readonly deps: Deps,
    private readonly mailDeps: MailDeps,
    private readonly mailbox: Mailbox,
  ) {
    this.sentFolder = new SentFolder(deps, mailDeps, mailbox)
  }

  isFor(mailbox: Mailbox): boolean {
    return settingsOf(this.mailbox) === settingsOf(mailbox)
  }

  async submit(submission: Submission): Promise<SmtpResult> {
    const session = this.#idle.pop() ?? this.#open()
    try {
      return await session.submit(submission)
    } finally {
      this.#idle.push(session)
    }
  }

  async close(): Promise<void> {
    for (const session of this.#all) session.close()
    await this.sentFolder.close()
  }

  #open(): SmtpSession {
    const { address } = this.mailbox
    const name = envelopeAddress(address).slice(address.lastIndexOf('@') + 1)
    const session = new SmtpSession(
      this.mailDeps,
      mailAccountOf(this.deps, this.mailDeps.dialer, this.mailbox, 'smtp'),
      name,
    )
    this.#all.add(session)
    return session
  }
}

/** What sessions and copies depend on. Passwords are encrypted. */
function settingsOf(mailbox: Mailbox): string {
  const { address, signIn, imap, smtp, imapPassword, smtpPassword, tokensVersion, sentFolder } = mailbox
  const secrets = [imapPassword, smtpPassword].map(
    (secret) => secret && Buffer.from(secret).toString('base64'),
  )
  return JSON.stringify([address, signIn, imap, smtp, ...secrets, tokensVersion, sentFolder])
}

async function bytesOf(stream: Readable): Promise<Uint8Array> {
  return Buffer.concat(await stream.toArray())
}

/** Undefined for a mailbox that doesn't sign. */
async function dkimOf(deps: Deps, { id, dkim, dkimKey }: Mailbox): Promise<DkimKey | undefined> {
  if (!dkim?.isOn || !dkimKey) return undefined
  const { domain, selector } = dkim
  const privateKey = deps.encryption.decrypt(dkimKey, id)
  return { domain, selector, privateKey, temporaryFolder: await deps.files.incomingFolder() }
}

async function findMailbox(deps: Deps, { orgId, laneId }: Send): Promise<Mailbox | undefined> {
  const [mailbox] = await deps.database.read
    .select()
    .from(mailboxes)
    .where(and(eq(mailboxes.orgId, orgId), eq(mailboxes.id, laneId), isNull(mailboxes.deletedAt)))
  return mailbox
}

/** Checks the files before anything is sent. */
async function openFiles(
  deps: Deps,
  { files }: FrozenEmail,
): Promise<{ blobs: Map<string, Blob> } | { fault: string }> {
  const blobs = new Map<string, Blob>()
  for (const { hash, name } of files) {
    const found = await deps.files.open(hash)
    if ('fault' in found) {
      const what = found.fault === 'missing' ? 'is missing' : 'was changed'
      return { fault: `The file "${name}" ${what} on the Bellhop server, so nothing was sent.` }
    }
    blobs.set(hash, found.file)
  }
  return { blobs }
}

function failedFor(recipients: string[], detail: string): AttemptResult {
  const outcomes = recipients.map((address) => ({ address, state: 'failed' as const, detail }))
  return { outcomes, error: detail, fault: 'message' }
}

/**
 * Who gets the email together. Each Bcc gets it alone: mail servers can name all recipients of an envelope in the headers that
 * they add.
 */
function envelopesOf({ bcc = [] }: FrozenEmail, recipients: string[]): string[][] {
  const hidden = new Set(bcc.map(({ address }) => addressKey(address)))
  const [named = [], alone = []] = [false, true].map((isHidden) =>
    recipients.filter((address) => hidden.has(addressKey(address)) === isHidden),
  )
  return [...(named.length > 0 ? [named] : []), ...alone.map((address) => [address])]
}

/** Of one email in several envelopes. Answers refer to the first, which has everyone in the headers. */
function joinedResult(results: AttemptResult[]): AttemptResult {
  const decisive = results.findLast(({ fault }) => fault !== 'none') ?? results.at(-1)
  const externalId = results[0]?.externalId
  return {
    outcomes: results.flatMap(({ outcomes }) => outcomes),
    error: results.find(({ error }) => error !== '')?.error ?? '',
    fault: decisive?.fault ?? 'none',
    ...(externalId && { externalId }),
  }
}

/** The results are in the order of the recipients. */
function attemptResult(
  result: SmtpResult | TokenError,
  recipients: string[],
  mailbox: Mailbox,
): AttemptResult {
  if (result instanceof TokenError) return { outcomes: [], error: result.message, fault: 'account' }
  const { host } = mailbox.smtp
  const outcomes: RecipientOutcome[] = []
  let open = ''
  for (const [position, { fate, reason }] of result.recipients.entries()) {
    const address = recipients[position] ?? ''
    // The server's own words begin with a code.
    const words = /^\d{3}[ -]/.test(reason) ? `${host} refused it: ${reason}` : reason
    if (fate === 'accepted') outcomes.push({ address, state: 'sent', detail: '' })
    else if (fate === 'refused') outcomes.push({ address, state: 'failed', detail: words })
    else open ||= result.sentence ?? words
  }
  const externalId = result.serverMessageId ?? undefined
  return { outcomes, error: open, fault: faultOf(result, mailbox), ...(externalId && { externalId }) }
}

/** A connection that is lost after the whole message says nothing about other messages. */
function faultOf({ outcome, problem, recipients }: SmtpResult, { signIn }: Mailbox): AttemptResult['fault'] {
  if (problem?.code === 'interrupted') return 'interrupted'
  // A refused token is renewed for the next attempt. If that is refused, the mailbox stops.
  if (problem?.code === 'sign_in_refused' && signIn === 'password') return 'sign in'
  if (problem instanceof MailServerError && outcome !== 'unknown') return 'account'
  return recipients.every(({ fate }) => fate === 'accepted') ? 'none' : 'message'
}

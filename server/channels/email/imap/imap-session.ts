import type { ImapFlow, MailboxObject, SearchObject } from 'imapflow'
import type { MailAccount, MailDeps } from '../mail-account.ts'
import { MailServerError } from '../mail-server-error.ts'
import { imapFailure } from './imap-failure.ts'

/** Measured by the sockets themselves, in milliseconds. */
const LIMITS = {
  dial: 30_000,
  /** Some servers wait on purpose before they greet. */
  greeting: 60_000,
  /** If no byte arrives in this time, the connection counts as dead. IDLE is renewed more often. */
  silence: 120_000,
}
/** A larger mail is not fetched. Mail servers accept 25 to 50 MB. */
const MAX_MAIL_BYTES = 100 * 1024 * 1024
/** Mails up to this size are fetched several at a time. A larger one is streamed. */
const SMALL_BYTES = 512 * 1024
/** Bytes of mails that are held in memory at once. */
const GROUP_BYTES = 4 * 1024 * 1024
const GROUP_MAILS = 100
/** The default of 64 KiB needs a round trip for each. */
const CHUNK_BYTES = 1024 * 1024
/** Enough for a list of several million UIDs. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
/** UIDs requested at once. */
const UIDS_AT_ONCE = 5_000

interface SelectedFolder {
  /** As text: IMAP allows all 32 bits. */
  uidValidity: string
  /** Lower than the UID of every mail that arrives from now on. */
  uidNext: number
  exists: number
}

interface FetchedMail {
  uid: number
  /** When the server received it, in milliseconds since 1970. */
  receivedAt: number
  /** Bytes, as the server says. */
  size: number
  /** The whole mail. Null for one that is too large. */
  source: Uint8Array | AsyncIterable<Uint8Array> | null
}

/** A connection to a mailbox. Folders are opened read-only: nothing here marks a mail as read. */
export interface ImapSession extends AsyncDisposable {
  folders(): Promise<string[]>
  select(folder: string): Promise<SelectedFolder>
  /** The lowest UID of the selected folder from that day on; undefined if there is none. */
  firstUidSince(time: number): Promise<number | undefined>
  /** Mails of the selected folder with a UID above `lastUid` and at most `upTo`, in ascending order. */
  fetchAfter(lastUid: number, upTo: number): AsyncIterable<FetchedMail>
  /** Resolves when a mail has arrived since `folder` was selected, or after the given time. */
  waitForNews(folder: string, milliseconds: number): Promise<void>
  /** Stores a mail in a folder, as read. */
  append(folder: string, mail: Uint8Array): Promise<void>
}

/**
 * Connects, always with TLS and under the address policy, and signs in. Closes when `signal` aborts, and when the server
 * is silent for longer than `limits`. Rejects with `MailServerError`, or with what the function for the access token throws; so do all methods.
 */
export async function openImap(
  deps: MailDeps,
  account: MailAccount,
  signal?: AbortSignal,
  limits = LIMITS,
): Promise<ImapSession> {
  const { host, port, auth, security } = account
  const credentials =
    auth?.method === 'oauth2'
      ? { user: auth.user, accessToken: await auth.accessToken() }
      : auth && { user: auth.user, pass: auth.password }
  // Loaded at the first connection: many organizations have no mailbox.
  const { ImapFlow } = await import('imapflow')
  const isTls = security === 'tls'
  const client = new ImapFlow({
    host,
    port,
    secure: isTls,
    ...(!isTls && { doSTARTTLS: true }),
    ...(credentials && { auth: credentials }),
    tls: { ...deps.dialer.tlsOptions(host), lookup: lookupOf(deps, account) },
    logger: false,
    clientInfo: { name: 'Bellhop' },
    disableAutoIdle: true,
    connectionTimeout: limits.dial,
    greetingTimeout: limits.greeting,
    socketTimeout: limits.silence,
    maxLiteralSize: MAX_MAIL_BYTES + 1024,
    maxLineLength: MAX_LINE_BYTES,
  })
  const close = () => client.close()
  signal?.addEventListener('abort', close, { once: true })
  // Without a listener an error would end the process. Each command rejects with it too.
  client.on('error', () => {})
  try {
    signal?.throwIfAborted()
    await client.connect()
    // The library upgrades or fails. This check is for a version that doesn't.
    if (!client.secureConnection) throw new MailServerError('tls_missing', account)
  } catch (error) {
    client.close()
    throw failureOf(error, account, signal)
  }
  return sessionOf(deps, client, account, signal)
}

function sessionOf(
  { clock }: MailDeps,
  client: ImapFlow,
  account: MailAccount,
  signal: AbortSignal | undefined,
): ImapSession {
  let hasNews = false
  /** UIDNEXT of each folder when it was selected. */
  const seen = new Map<string, number>()
  let onNews = () => {}
  client.on('exists', () => {
    hasNews = true
    onNews()
  })

  /** Runs a command with its failure as a `MailServerError`. */
  async function run<T>(command: () => Promise<T>, folder?: string): Promise<T> {
    try {
      return await command()
    } catch (error) {
      throw failureOf(error, account, signal, folder)
    }
  }

  /**
   * Runs a query about the open folder. On a connection that has ended, the library responds as if there were no mails,
   * and those would then count as fetched.
   */
  async function ask<T>(command: () => Promise<T>): Promise<T> {
    const answer = await run(command)
    if (client.usable && client.mailbox) return answer
    throw failureOf(new MailServerError('reset', account), account, signal)
  }

  async function search(query: SearchObject): Promise<number[]> {
    const found = await ask(() => client.search(query, { uid: true }))
    // The library doesn't report the reason.
    if (!found) throw new MailServerError('rejected', account)
    return found
  }

  /**
   * Throws unless other programs deleted these mails. A mail that the server didn't return may also be one that it
   * can't read now, and must be requested again.
   */
  async function requireGone(uids: number[]): Promise<void> {
    if (uids.length === 0) return
    // Without it, a server only knows the mails that it has already announced.
    await run(() => client.noop())
    const left = await search({ uid: uids.join(',') })
    if (uids.some((uid) => left.includes(uid))) throw new MailServerError('bad_response', account)
  }

  async function open(folder: string): Promise<MailboxObject> {
    return run(() => client.mailboxOpen(folder, { readOnly: true }), folder)
  }

  /** For the rare server that doesn't tell UIDNEXT. */
  async function highestUid(): Promise<number> {
    return (await search({ all: true })).reduce((high, uid) => Math.max(high, uid), 0)
  }

  async function fetchGroup(uids: number[]): Promise<FetchedMail[]> {
    if (uids.length === 0) return []
    const query = { uid: true, source: true, internalDate: true, size: true }
    const answered = await ask(() => client.fetchAll(uids.join(','), query, { uid: true }))
    const found = answered.flatMap(({ uid, internalDate, size, source }) =>
      source ? [{ uid, receivedAt: timeOf(internalDate), size: size ?? source.byteLength, source }] : [],
    )
    const uidsFound = new Set(found.map(({ uid }) => uid))
    await requireGone(uids.filter((uid) => !uidsFound.has(uid)))
    return found.sort((one, other) => one.uid - other.uid)
  }

  async function* fetchAfter(lastUid: number, upTo: number): AsyncGenerator<FetchedMail> {
    for (let start = lastUid + 1; start <= upTo; start += UIDS_AT_ONCE) {
      const range = `${start}:${Math.min(start + UIDS_AT_ONCE - 1, upTo)}`
      const query = { uid: true, size: true, internalDate: true }
      const listed = await ask(() => client.fetchAll(range, query, { uid: true }))
      // For a range past the end, servers return the last mail (RFC 9051, 9: seq-range).
      const sizes = listed
        .map(({ uid, size = 0, internalDate }) => ({ uid, size, receivedAt: timeOf(internalDate) }))
        .filter(({ uid }) => uid >= start && uid <= upTo)
        .sort((one, other) => one.uid - other.uid)
      let group: number[] = []
      let bytes = 0
      for (const mail of sizes) {
        const isLarge = mail.size > SMALL_BYTES
        if (isLarge || bytes + mail.size > GROUP_BYTES || group.length === GROUP_MAILS) {
          yield* await fetchGroup(group)
          group = []
          bytes = 0
        }
        if (isLarge) yield* await fetchLarge(mail)
        else {
          group.push(mail.uid)
          bytes += mail.size
        }
      }
      yield* await fetchGroup(group)
    }
  }

  async function fetchLarge(mail: Omit<FetchedMail, 'source'>): Promise<FetchedMail[]> {
    if (mail.size > MAX_MAIL_BYTES) return [{ ...mail, source: null }]
    const options = { uid: true, chunkSize: CHUNK_BYTES }
    const { content } = await ask(() => client.download(String(mail.uid), undefined, options))
    if (content) return [{ ...mail, source: failing(content) }]
    await requireGone([mail.uid])
    return []
  }

  async function* failing(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* content
    } catch (error) {
      throw failureOf(error, account, signal)
    }
  }

  function nextNews(milliseconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancelTimer = clock.after(milliseconds, () => end())
      const onClose = () => end(new MailServerError(signal?.aborted ? 'interrupted' : 'reset', account))
      const end = (error?: Error) => {
        cancelTimer()
        onNews = () => {}
        client.off('close', onClose)
        if (error) reject(error)
        else resolve()
      }
      onNews = () => end()
      client.on('close', onClose)
      // The next command ends it.
      client.idle().catch((error) => end(failureOf(error, account, signal)))
    })
  }

  return {
    async folders() {
      const found = await run(() => client.list())
      return found.filter(({ flags }) => !flags.has('\\Noselect')).map(({ path }) => path)
    },
    async select(folder) {
      hasNews = false
      const opened = await open(folder)
      const uidNext = opened.uidNext ?? (await highestUid()) + 1
      seen.set(folder, uidNext)
      return { uidValidity: String(opened.uidValidity), uidNext, exists: opened.exists }
    },
    async firstUidSince(time) {
      const uids = await search({ since: new Date(time) })
      return uids.reduce<number | undefined>((low, uid) => Math.min(low ?? uid, uid), undefined)
    },
    fetchAfter,
    async waitForNews(folder, milliseconds) {
      // After another folder was selected, or failed to be (RFC 9051, 6.3.2: then none is), only this tells what arrived.
      if (!client.mailbox || client.mailbox.path !== folder) {
        const { uidNext } = await open(folder)
        if (uidNext !== undefined && uidNext > (seen.get(folder) ?? uidNext)) return
      }
      if (!client.usable) throw new MailServerError('reset', account)
      if (!hasNews) await nextNews(milliseconds)
    },
    async append(folder, mail) {
      const stored = await run(() => client.append(folder, Buffer.from(mail), ['\\Seen']), folder)
      if (!stored) throw new MailServerError('rejected', account)
    },
    async [Symbol.asyncDispose]() {
      // LOGOUT is a courtesy: a server that does not respond must not delay anything.
      client.close()
    },
  }
}

function lookupOf({ dialer }: MailDeps, account: MailAccount) {
  try {
    return dialer.lookupFor(account.host)
  } catch (error) {
    throw failureOf(error, account, undefined)
  }
}

function failureOf(error: unknown, account: MailAccount, signal: AbortSignal | undefined, folder?: string) {
  if (signal?.aborted) return new MailServerError('interrupted', account)
  return imapFailure(error instanceof Error ? error : new Error(String(error)), account, folder)
}

function timeOf(date: Date | string | undefined): number {
  const time = new Date(date ?? 0).getTime()
  return Number.isFinite(time) ? time : 0
}

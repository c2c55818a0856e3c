import { PartitionLost } from '../../../database/postgresql/fence.ts'
import type { mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { pauseFor } from '../../accounts/receive-accounts.ts'
import type { ImapSession } from '../imap/imap-session.ts'
import { MailServerError } from '../mail-server-error.ts'
import { type ReceiveCheck, recordReceiving, recordRefusal } from '../mailboxes/mailbox-health.ts'
import { TokenError } from '../oauth/token-request.ts'
import { syncFolder } from './sync-folder.ts'

/** IDLE is renewed, and folders without IDLE are looked at, this often. */
const POLL_MS = 60_000
/** Pauses after failures in a row. */
const PAUSES_MS = [2_000, 5_000, 15_000, 30_000, 60_000]
/** After a refused password. The third refusal in a row stops the mailbox. */
const REFUSED_PAUSE_MS = 60_000
/** After a refused token, which was renewed. */
const REFUSED_TOKEN_PAUSE_MS = 300_000

type Mailbox = typeof mailboxes.$inferSelect

export interface Receiving {
  /** Connects to the IMAP server of a mailbox. */
  open(mailbox: Mailbox, signal: AbortSignal): Promise<ImapSession>
  /** Called when mails have been stored. */
  onFetched(): void
}

/**
 * Receives the mail of one mailbox until `signal` aborts: connects, fetches what is new in each folder, waits for news
 * (IDLE, RFC 2177) and begins again. After a failure it connects again, after a pause. Its health is stored with it.
 */
export async function receiveMailbox(
  deps: Deps,
  mailbox: Mailbox,
  receiving: Receiving,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await using session = await receiving.open(mailbox, signal)
      while (!signal.aborted) {
        const { missing, watched, ...check } = await syncFolders(deps, mailbox, { ...receiving, session })
        failures = 0
        await recordReceiving(deps, mailbox, {
          ...check,
          ...(missing && { error: missingSentence(missing) }),
        })
        if (watched === undefined) await pauseFor(deps, POLL_MS, signal)
        else await session.waitForNews(watched, POLL_MS)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof PartitionLost) throw error
      await recordFailure(deps, mailbox, error)
      await pauseFor(deps, pauseAfter(mailbox, error, failures), signal)
    }
  }
}

async function syncFolders(
  deps: Deps,
  mailbox: Mailbox,
  { session, onFetched }: Receiving & { session: ImapSession },
): Promise<ReceiveCheck & { missing: MailServerError | undefined; watched: string | undefined }> {
  let onServer = 0
  let fetched = 0
  let missing: MailServerError | undefined
  /** The first one that is there. */
  let watched: string | undefined
  for (const name of mailbox.folders) {
    try {
      const folder = await syncFolder(deps, name, { mailbox, session, onFetched })
      onServer += folder.onServer
      fetched += folder.fetched
      watched ??= name
    } catch (error) {
      // A renamed folder doesn't stop the others.
      if (!(error instanceof MailServerError) || error.code !== 'folder_missing') throw error
      missing = error
    }
  }
  return {
    onServer,
    unfetched: 0,
    missing,
    watched,
    ...(fetched > 0 && { lastReceivedAt: deps.clock.now() }),
  }
}

function missingSentence({ message }: MailServerError): string {
  return `${message} Create it there, or choose other folders under Options. Mail in the others is received.`
}

/** On a full disk this fails too. Receiving continues anyway, and the log says what happened. */
async function recordFailure(deps: Deps, mailbox: Mailbox, error: unknown): Promise<void> {
  const sentence = sentenceOf(deps, mailbox, error)
  try {
    if (isSignInRefused(error) && mailbox.signIn === 'password') await recordRefusal(deps, mailbox, sentence)
    else await recordReceiving(deps, mailbox, { error: sentence })
  } catch (failure) {
    deps.log.error('mailbox_health_not_saved', { mailboxId: mailbox.id, error: failure })
  }
}

/** Either the mail server failed, or this server, for example with a full disk. */
function sentenceOf(deps: Deps, { id }: Mailbox, error: unknown): string {
  if (error instanceof MailServerError || error instanceof TokenError) return error.message
  deps.log.error('receiving_failed', { mailboxId: id, error })
  return error instanceof Error ? error.message : String(error)
}

/** After the first refusal, a mailbox with a token tries again soon, with a new token. */
function pauseAfter({ signIn }: Mailbox, error: unknown, failures: number): number {
  if (isSignInRefused(error) && signIn === 'password') return REFUSED_PAUSE_MS
  if (isSignInRefused(error) && failures > 0) return REFUSED_TOKEN_PAUSE_MS
  return PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0
}

function isSignInRefused(error: unknown): boolean {
  return error instanceof MailServerError && error.code === 'sign_in_refused'
}

import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../../../deps.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { type ImapSession, openImap } from '../imap/imap-session.ts'
import type { MailDeps } from '../mail-account.ts'
import { MailServerError } from '../mail-server-error.ts'
import { SmtpSession } from '../outbound/smtp-session.ts'
import { mailAccountOf } from './mailbox-accounts.ts'
import { changedRow, domainOf, type Mailbox, type MailboxChange } from './mailbox-rows.ts'
import { mailboxAccounts, readMailbox } from './mailboxes.ts'
import { requireProtocol } from './require-protocol.ts'
import { type Learned, NOTHING_LEARNED, sendToItself } from './test-message.ts'
import { failedSteps, stepsWith, type TestedStep, type Testing, TestStopped } from './tested-step.ts'

/** Most of this is the time that a message may take to come back. */
const MAX_TEST_MS = 60_000
/** A token from before the test says little about the sign-in. */
const MAX_TOKEN_AGE_MS = 10_000

const SIGN_IN_STEPS = ['name', 'connection', 'tls', 'sign_in'] as const

const SKIPPED: TestedStep = { side: 'both', step: 'message', state: 'skipped' }

interface ConnectionTest {
  isOk: boolean
  steps: TestedStep[]
  /** Names of the folders on the server, to choose from; empty when it was not reached. */
  folders: string[]
  learned: Learned
}

/**
 * Tries out a mailbox, stored or not: signs in to both servers, opens its folders, sends a message to itself, and waits
 * for it. Takes a minute at most, and ends when `signal` aborts.
 */
export async function testConnection(
  deps: Deps,
  mail: MailDeps,
  mailbox: Mailbox,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const stopping = new AbortController()
  const end = () => stopping.abort()
  const cancelTimer = deps.clock.after(MAX_TEST_MS, end)
  // Not `AbortSignal.any`: in Bun 1.4.5 it misses a client that leaves.
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  const stop = stopping.signal
  try {
    return await run({ deps, mail, mailbox, stop, limited: (work) => limitedBy(stop, work) })
  } finally {
    cancelTimer()
    signal.removeEventListener('abort', end)
    // Closes connections that are still being opened.
    end()
  }
}

/**
 * Tests a stored mailbox with a change that isn't stored. What the test finds out about the server is stored. Throws
 * 404, and 400 with every fault of the change.
 */
export async function testStoredMailbox(
  deps: Deps,
  mail: MailDeps,
  { orgId, id, change }: { orgId: string; id: string; change: MailboxChange },
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const tested = changedRow(deps, await readMailbox(deps, orgId, id), change)
  const result = await testConnection(deps, mail, tested, signal)
  await learn(deps, tested, result.learned)
  return result
}

/** Only if the test used the stored servers and address. A name that an administrator entered stays. */
async function learn(deps: Deps, tested: Mailbox, { hasSubaddresses, authservId }: Learned): Promise<void> {
  const { orgId, id } = tested
  if (hasSubaddresses === null) return
  await deps.database.write(orgId, async (tx) => {
    recordWorkspaceChange(deps, tx, orgId)
    const stored = await mailboxAccounts.lock(tx, orgId, id)
    if (!stored || !isDeepStrictEqual(placeOf(stored), placeOf(tested))) return
    const isUnnamed = stored.authservId === '' && authservId !== null
    await mailboxAccounts.save(tx, stored, { hasSubaddresses, ...(isUnnamed && { authservId }) })
  })
}

function placeOf({ addressKey, imap, smtp }: Mailbox) {
  return { addressKey, imap, smtp }
}

async function run(testing: Testing): Promise<ConnectionTest> {
  const { deps, mail, mailbox, stop } = testing
  const account = accountOf(deps, mail, mailbox, 'smtp')
  const smtp = new SmtpSession(mail, account, domainOf(mailbox.address))
  const close = () => smtp.close()
  stop.addEventListener('abort', close)
  // Side by side: one that hangs takes no time from the other.
  const [imap, smtpSteps] = await Promise.all([testImap(testing), testSmtp(testing, smtp)])
  try {
    const isConnected = imap.session && smtpSteps.every(({ state }) => state === 'ok')
    const { step, learned } =
      isConnected && imap.session
        ? await sendToItself(testing, { session: imap.session, smtp })
        : { step: SKIPPED, learned: NOTHING_LEARNED }
    const steps = [...imap.steps, ...smtpSteps, step]
    return { isOk: steps.every(({ state }) => state === 'ok'), steps, folders: imap.folders, learned }
  } finally {
    stop.removeEventListener('abort', close)
    smtp.close()
    await imap.session?.[Symbol.asyncDispose]()
  }
}

async function testImap(
  testing: Testing,
): Promise<{ steps: TestedStep[]; folders: string[]; session?: ImapSession }> {
  const { deps, mail, mailbox, stop, limited } = testing
  let session: ImapSession
  try {
    await limited(requireProtocol(mail, 'IMAP', mailbox.imap))
    session = await limited(openImap(mail, accountOf(deps, mail, mailbox, 'imap'), stop))
  } catch (error) {
    return { steps: failedSteps(mailbox, 'imap', [...SIGN_IN_STEPS, 'folder'], error), folders: [] }
  }
  const signedIn = stepsWith('ok', 'imap', SIGN_IN_STEPS)
  let folders: string[] = []
  try {
    folders = await limited(session.folders())
    await openFolders(testing, session, folders)
    return { steps: [...signedIn, ...stepsWith('ok', 'imap', ['folder'])], folders, session }
  } catch (error) {
    await session[Symbol.asyncDispose]()
    return { steps: [...signedIn, ...failedSteps(mailbox, 'imap', ['folder'], error)], folders }
  }
}

async function openFolders({ mailbox, limited }: Testing, session: ImapSession, known: string[]) {
  const { folders, sentFolder, imap } = mailbox
  for (const folder of [...folders, ...(sentFolder ? [sentFolder] : [])]) {
    if (!known.includes(folder)) throw new MailServerError('folder_missing', { ...imap, folder })
    await limited(session.select(folder))
  }
}

async function testSmtp({ mail, mailbox, limited }: Testing, smtp: SmtpSession): Promise<TestedStep[]> {
  try {
    await limited(requireProtocol(mail, 'SMTP', mailbox.smtp))
    await limited(smtp.verify())
    return stepsWith('ok', 'smtp', SIGN_IN_STEPS)
  } catch (error) {
    return failedSteps(mailbox, 'smtp', SIGN_IN_STEPS, error)
  }
}

function accountOf(deps: Deps, { dialer }: MailDeps, mailbox: Mailbox, side: 'imap' | 'smtp') {
  return mailAccountOf(deps, dialer, mailbox, side, { maxTokenAgeMs: MAX_TOKEN_AGE_MS })
}

function limitedBy<T>(stop: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new TestStopped())
    if (stop.aborted) end()
    stop.addEventListener('abort', end, { once: true })
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', end))
  })
}

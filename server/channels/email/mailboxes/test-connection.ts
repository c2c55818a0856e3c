import type { Deps } from '../../../deps.ts'
import { type ImapSession, openImap } from '../imap/imap-session.ts'
import type { MailDeps } from '../mail-account.ts'
import { MailServerError } from '../mail-server-error.ts'
import { SmtpSession } from '../outbound/smtp-session.ts'
import { mailAccountOf } from './mailbox-accounts.ts'
import { domainOf, type Mailbox } from './mailbox-rows.ts'
import { sendToItself } from './test-message.ts'
import { failedSteps, stepsWith, type TestedStep, type Testing, TestStopped } from './tested-step.ts'

/** Most of it is the time that a message may take to come back. */
const MAX_TEST_MS = 60_000
/** A token from before the test says little about the sign-in. */
const MAX_TOKEN_AGE_MS = 10_000

const SIGN_IN_STEPS = ['name', 'connection', 'tls', 'sign_in'] as const

interface ConnectionTest {
  isOk: boolean
  steps: TestedStep[]
  /** Names of the folders on the server, to choose from; empty when it was not reached. */
  folders: string[]
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
    // Closes what is still connecting.
    end()
  }
}

async function run(testing: Testing): Promise<ConnectionTest> {
  const { deps, mail, mailbox, stop } = testing
  const account = accountOf(deps, mail, mailbox, 'smtp')
  const smtp = new SmtpSession(mail, account, domainOf(mailbox.address))
  const close = () => smtp.close()
  stop.addEventListener('abort', close)
  const imap = await testImap(testing)
  try {
    const smtpSteps = await testSmtp(testing, smtp)
    const isConnected = imap.session && smtpSteps.every(({ state }) => state === 'ok')
    const steps = [
      ...imap.steps,
      ...smtpSteps,
      isConnected && imap.session
        ? await sendToItself(testing, { session: imap.session, smtp })
        : { side: 'both' as const, step: 'message' as const, state: 'skipped' as const },
    ]
    return { isOk: steps.every(({ state }) => state === 'ok'), steps, folders: imap.folders }
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

async function testSmtp({ mailbox, limited }: Testing, smtp: SmtpSession): Promise<TestedStep[]> {
  try {
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

import { isIP } from 'node:net'
import type { Deps } from '../../../deps.ts'
import type { MailDeps } from '../mail-account.ts'
import { MailServerError } from '../mail-server-error.ts'
import { TokenError } from '../oauth/token-request.ts'
import { MAIL_PROVIDERS, type MailProvider } from './mail-providers.ts'
import { type Mailbox, signInSentence } from './mailbox-rows.ts'

export const TEST_STEPS = ['name', 'connection', 'tls', 'sign_in', 'folder', 'message'] as const
type TestStep = (typeof TEST_STEPS)[number]
export const STEP_STATES = ['ok', 'failed', 'skipped'] as const
/** The server that a step is about; `both` for the message. */
export const TEST_SIDES = ['imap', 'smtp', 'both'] as const
type TestSide = (typeof TEST_SIDES)[number]

/** `detail` and `advice` are sentences: what happened, and what to do. `link` is a page of the provider about it. */
export interface TestedStep {
  side: TestSide
  step: TestStep
  state: (typeof STEP_STATES)[number]
  detail?: string
  advice?: string
  link?: string
}

/** A test in progress. */
export interface Testing {
  deps: Deps
  mail: MailDeps
  mailbox: Mailbox
  /** Rejects when the test must end. */
  limited<T>(work: Promise<T>): Promise<T>
  stop: AbortSignal
}

/** The test took too long, or no one waits for it anymore. */
export class TestStopped extends Error {
  override name = 'TestStopped'
}

export function stepsWith(state: 'ok' | 'skipped', side: TestSide, steps: readonly TestStep[]): TestedStep[] {
  return steps.map((step) => ({ side, step, state }))
}

/**
 * The steps of a server, of which one failed: those before it passed, those after it were not tried. Throws an error that
 * is not about the mailbox.
 */
export function failedSteps(
  mailbox: Mailbox,
  side: TestSide,
  steps: readonly TestStep[],
  error: unknown,
): TestedStep[] {
  const failed = steps.find((step) => step === stepOf(error)) ?? steps.at(-1) ?? 'connection'
  const at = steps.indexOf(failed)
  // Without a token, no connection is tried.
  const before = error instanceof TokenError ? 'skipped' : 'ok'
  return [
    ...stepsWith(before, side, steps.slice(0, at)),
    { side, step: failed, state: 'failed', detail: sentenceOf(error), ...adviceAbout(mailbox, side, failed) },
    ...stepsWith('skipped', side, steps.slice(at + 1)),
  ]
}

/** A server that refuses or disconnects before the sign-in is probably not the right one. */
function stepOf(error: unknown): TestStep {
  if (error instanceof TokenError) return 'sign_in'
  if (error instanceof MailServerError && error.step !== 'session') return error.step
  return 'connection'
}

function sentenceOf(error: unknown): string {
  if (error instanceof MailServerError || error instanceof TokenError) return error.message
  if (error instanceof TestStopped) return "The mail server didn't respond within a minute."
  throw error
}

/** Advice beyond the error message. */
function adviceAbout(mailbox: Mailbox, side: TestSide, step: TestStep): Pick<TestedStep, 'advice' | 'link'> {
  if (side === 'both' || step !== 'sign_in') return {}
  if (mailbox.signIn !== 'password') {
    return { advice: mailbox.tokens ? 'Sign in to this mailbox again.' : signInSentence(mailbox.signIn) }
  }
  const { host } = mailbox[side]
  // An IP address says nothing about the provider.
  const isKnown = (one: MailProvider) => !isIP(host) && one[side].host === host.toLowerCase()
  const provider = MAIL_PROVIDERS.find(isKnown)
  if (provider?.note) return { advice: provider.note, ...(provider.link && { link: provider.link }) }
  return {
    advice: 'Check the user name and the password. Some providers require an app password.',
  }
}

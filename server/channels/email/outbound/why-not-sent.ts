import type { SMTPError } from 'nodemailer/lib/smtp-connection'
import { type MailServerError, wordsOf } from '../mail-server-error.ts'

const BYTES_PER_MB = 1_000_000

/**
 * What happened to an attempt. `delivered`: the server took the message for at least one recipient. `refused`: it will
 * never take it. `temporary`: it did not take it. `unknown`: the connection was lost after the whole message had been
 * handed over, so it may have taken it. The last two are tried again, with the same bytes and the same Message-ID.
 */
type SmtpOutcome = 'delivered' | 'refused' | 'temporary' | 'unknown'

interface RecipientResult {
  address: string
  /** Only `deferred` and `unknown` recipients are tried again, also when the message was delivered to others. */
  fate: 'accepted' | 'refused' | 'deferred' | 'unknown'
  /** Why it was not accepted: the server's words, or a sentence when it gave no answer. Empty if it was accepted. */
  reason: string
}

export interface SmtpResult {
  outcome: SmtpOutcome
  /** In the order of the envelope. */
  recipients: RecipientResult[]
  /** Why it was not delivered, for the agent who wrote it; null when it was. */
  sentence: string | null
  /** Set when the mailbox has a problem with its server, and other messages would fail as well. */
  problem: MailServerError | null
  /** The Message-ID, with angle brackets, of a server that replaces ours. Answers refer to it. */
  serverMessageId: string | null
}

/** The server took the message, possibly not for all. */
export function deliveredResult(
  recipients: readonly string[],
  info: { rejectedErrors?: SMTPError[] | undefined; serverMessageId?: string | undefined },
): SmtpResult {
  return {
    outcome: 'delivered',
    recipients: recipientResults(recipients, info.rejectedErrors ?? [], { fate: 'accepted', reason: '' }),
    sentence: null,
    problem: null,
    serverMessageId: info.serverMessageId ?? null,
  }
}

/** The server answered that it doesn't take the message. `error` is an error of the library with a reply. */
export function refusedResult(host: string, recipients: readonly string[], error: SMTPError): SmtpResult {
  const reply = error.response ?? ''
  const rest = { fate: fateOf(error), reason: wordsOf(reply) }
  const results = recipientResults(recipients, error.rejectedErrors ?? [], rest)
  const isTemporary = results.some(({ fate }) => fate === 'deferred')
  return {
    outcome: isTemporary ? 'temporary' : 'refused',
    recipients: results,
    sentence: isTemporary
      ? `${host} can't take the message now: ${rest.reason}`
      : `${host} refused the message: ${rest.reason}`,
    problem: null,
    serverMessageId: null,
  }
}

/** The server announced a limit that the message exceeds. Nothing was sent. */
export function tooLargeResult(host: string, recipients: readonly string[], bytes: number): SmtpResult {
  const size = (bytes / BYTES_PER_MB).toFixed(1)
  const sentence = `The message is larger than ${host} allows: ${size} MB with its attachments.`
  return allResult(recipients, 'refused', sentence, null)
}

/** The server takes only ASCII before the `@`. Nothing was sent: the address is in the header that all would get. */
export function unsupportedAddressResult(
  host: string,
  recipients: readonly string[],
  address: string,
): SmtpResult {
  const sentence = `${host} can't handle ${address}: it takes only addresses without special letters before the @ (no SMTPUTF8).`
  return allResult(recipients, 'refused', sentence, null)
}

/** There was no answer about the message: no session, or one that broke. */
export function brokenResult(
  recipients: readonly string[],
  outcome: 'temporary' | 'unknown',
  problem: MailServerError,
): SmtpResult {
  const sentence =
    outcome === 'temporary'
      ? problem.message
      : `${problem.message} It may have accepted the message, so it could arrive twice.`
  return allResult(recipients, outcome, sentence, problem)
}

function allResult(
  recipients: readonly string[],
  outcome: 'refused' | 'temporary' | 'unknown',
  sentence: string,
  problem: MailServerError | null,
): SmtpResult {
  const fate = outcome === 'temporary' ? 'deferred' : outcome
  return {
    outcome,
    recipients: recipients.map((address) => ({ address, fate, reason: sentence })),
    sentence,
    problem,
    serverMessageId: null,
  }
}

function recipientResults(
  recipients: readonly string[],
  rejected: readonly SMTPError[],
  rest: Omit<RecipientResult, 'address'>,
): RecipientResult[] {
  const errors = new Map(rejected.map((error) => [error.recipient, error]))
  return recipients.map((address) => {
    const error = errors.get(address)
    if (!error) return { address, ...rest }
    return { address, fate: fateOf(error), reason: wordsOf(error.response ?? '') }
  })
}

/** Replies 5yz are final (RFC 5321, section 4.2.1), except those about the state of the session. */
function fateOf(error: SMTPError): 'refused' | 'deferred' {
  return error.permanent ? 'refused' : 'deferred'
}

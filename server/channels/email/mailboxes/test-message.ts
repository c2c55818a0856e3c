import { Readable } from 'node:stream'
import type { Deps } from '../../../deps.ts'
import type { ImapSession } from '../imap/imap-session.ts'
import { messageIdOf, messageToken } from '../message-id.ts'
import { composeEmail, envelopeAddress } from '../outbound/compose.ts'
import type { SmtpSession } from '../outbound/smtp-session.ts'
import { newestAuthservId } from '../parse/authentication-results.ts'
import { readHeaders } from '../parse/mail-headers.ts'
import { replyAddress } from '../reply-address.ts'
import { domainOf, type Mailbox } from './mailbox-rows.ts'
import { failedSteps, type TestedStep, type Testing } from './tested-step.ts'

const MAX_WAIT_MS = 30_000
/** For the second message, once the first has arrived. */
const MAX_SECOND_WAIT_MS = 10_000
/** Servers add headers on the way. */
const MAX_OWN_BYTES = 65_536
/** For servers that don't announce new mail. */
const LOOK_EVERY_MS = 2_000

/** What the mailbox's server does. Null where the test didn't get so far. */
export interface Learned {
  hasSubaddresses: boolean | null
  authservId: string | null
}

export const NOTHING_LEARNED: Learned = { hasSubaddresses: null, authservId: null }

interface Sessions {
  session: ImapSession
  smtp: SmtpSession
}

/**
 * The last step of a test: sends a message to the mailbox through its own servers and waits for it, then another one to
 * an address like those of replies. Both are recorded as our own, so that they open no ticket.
 */
export async function sendToItself(
  testing: Testing,
  sessions: Sessions,
): Promise<{ step: TestedStep; learned: Learned }> {
  const { deps, mailbox, limited } = testing
  const { session } = sessions
  const { address, folders } = mailbox
  const failed = (detail: string, advice?: string) => ({
    step: {
      side: 'both' as const,
      step: 'message' as const,
      state: 'failed' as const,
      detail,
      ...(advice && { advice }),
    },
    learned: NOTHING_LEARNED,
  })
  try {
    const nextUids = new Map<string, number>()
    for (const folder of folders) nextUids.set(folder, (await limited(session.select(folder))).uidNext)
    const inbox: Inbox = { session, nextUids, arrived: [] }
    const sent = await send(testing, sessions, address)
    if (sent.refusal !== null) return failed(sent.refusal)
    const reply = replyAddress(deps.encryption, address, deps.newId('tkt'))
    const second = await send(testing, sessions, reply)
    const mail = await arrivalOf(testing, inbox, sent.token, MAX_WAIT_MS)
    if (!mail) {
      return failed(
        `A message to ${address} was sent, but it did not arrive in ${folders.join(', ')} within ${MAX_WAIT_MS / 1_000} seconds.`,
        `Check that mail to ${address} is delivered to this mailbox, and not into another folder such as spam.`,
      )
    }
    const answer =
      second.refusal === null && (await arrivalOf(testing, inbox, second.token, MAX_SECOND_WAIT_MS))
    const authservId = newestAuthservId(readHeaders(mail).headers) || null
    const learned = { hasSubaddresses: Boolean(answer), authservId }
    return { step: { side: 'both', step: 'message', state: 'ok' }, learned }
  } catch (error) {
    const [step] = failedSteps(mailbox, 'both', ['message'], error)
    return step ? { step, learned: NOTHING_LEARNED } : failed('The message was not sent.')
  }
}

/** `refusal` is a sentence, or null when the server took the message. */
async function send(
  { deps, mailbox, limited }: Testing,
  { smtp }: Sessions,
  to: string,
): Promise<{ token: string; refusal: string | null }> {
  const { token, email } = messageOf(deps, mailbox, to)
  const envelope = { from: envelopeAddress(mailbox.address), to: [envelopeAddress(to)] }
  const sent = await limited(smtp.submit({ ...envelope, body: () => email.stream() }))
  return { token, refusal: sent.sentence }
}

/** The folders of the mailbox, and the small mails that have arrived since the test began. */
interface Inbox {
  session: ImapSession
  nextUids: Map<string, number>
  arrived: Buffer[]
}

/** The mail with this token, or undefined when it doesn't come in time. */
async function arrivalOf(
  testing: Testing,
  inbox: Inbox,
  token: string,
  maxWaitMs: number,
): Promise<Buffer | undefined> {
  const { clock } = testing.deps
  const [folder = 'INBOX'] = testing.mailbox.folders
  const end = clock.monotonic() + maxWaitMs
  while (true) {
    await look(testing, inbox)
    const found = inbox.arrived.find((mail) => mail.includes(token))
    if (found || clock.monotonic() >= end) return found
    await testing.limited(inbox.session.waitForNews(folder, LOOK_EVERY_MS))
  }
}

/** Checks mails that arrived since the last look. */
async function look({ limited }: Testing, { session, nextUids, arrived }: Inbox): Promise<void> {
  for (const [folder, next] of nextUids) {
    const { uidNext } = await limited(session.select(folder))
    const mails = session.fetchAfter(next - 1, uidNext - 1)[Symbol.asyncIterator]()
    for (let mail = await limited(mails.next()); !mail.done; mail = await limited(mails.next())) {
      const { source } = mail.value
      // Ours are small, and a busy mailbox gets many mails.
      if (source instanceof Uint8Array && source.byteLength <= MAX_OWN_BYTES)
        arrived.push(Buffer.from(source))
      // A large mail arrives in pieces, which must be read before the next command. It isn't ours.
      if (source && !(source instanceof Uint8Array)) await limited(readAll(source))
    }
    nextUids.set(folder, uidNext)
  }
}

async function readAll(source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of source);
}

function messageOf(deps: Deps, { name, address }: Mailbox, to: string) {
  const id = deps.newId('msg')
  const self = { name, address }
  const token = messageToken(deps.encryption, id)
  const email = composeEmail(
    {
      from: self,
      to: [{ name, address: to }],
      cc: [],
      replyTo: null,
      subject: 'Bellhop tests this mailbox',
      text: 'Bellhop sent this message to itself to test the mailbox. You can delete it.\n',
      html: null,
      files: [],
      messageId: messageIdOf(deps.encryption, id, domainOf(address)),
      token,
      inReplyTo: null,
      references: [],
      date: deps.clock.now(),
      autoSubmitted: 'auto-generated',
    },
    { openFile: () => Readable.from([]) },
  )
  return { token, email }
}

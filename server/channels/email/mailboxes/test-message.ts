import { Readable } from 'node:stream'
import type { Deps } from '../../../deps.ts'
import { messageIdOf, messageToken } from '../../../sends/message-id.ts'
import type { ImapSession } from '../imap/imap-session.ts'
import { composeEmail, envelopeAddress } from '../outbound/compose.ts'
import type { SmtpSession } from '../outbound/smtp-session.ts'
import { domainOf, type Mailbox } from './mailbox-rows.ts'
import { failedSteps, type TestedStep, type Testing } from './tested-step.ts'

const MAX_WAIT_MS = 30_000
/** For servers that do not tell of new mail by themselves. */
const LOOK_EVERY_MS = 2_000

/**
 * The last step of a test: sends a message to the mailbox through its own servers and waits until it arrives. It is
 * filed as our own, so that it opens no ticket.
 */
export async function sendToItself(
  testing: Testing,
  { session, smtp }: { session: ImapSession; smtp: SmtpSession },
): Promise<TestedStep> {
  const { deps, mailbox, limited } = testing
  const { address, folders } = mailbox
  const failed = (detail: string, advice?: string): TestedStep => ({
    side: 'both',
    step: 'message',
    state: 'failed',
    detail,
    ...(advice && { advice }),
  })
  try {
    const nextUids = new Map<string, number>()
    for (const folder of folders) nextUids.set(folder, (await limited(session.select(folder))).uidNext)
    const { token, email } = messageOf(deps, mailbox)
    const envelope = { from: envelopeAddress(address), to: [envelopeAddress(address)] }
    const sent = await limited(smtp.submit({ ...envelope, body: () => email.stream() }))
    if (sent.sentence !== null) return failed(sent.sentence)
    const end = deps.clock.monotonic() + MAX_WAIT_MS
    while (deps.clock.monotonic() < end) {
      if (await hasArrived(testing, session, { nextUids, token })) {
        return { side: 'both', step: 'message', state: 'ok' }
      }
      await limited(session.waitForNews(folders[0] ?? 'INBOX', LOOK_EVERY_MS))
    }
    return failed(
      `A message to ${address} was sent, but it did not arrive in ${folders.join(', ')} within ${MAX_WAIT_MS / 1_000} seconds.`,
      `Check that mail to ${address} is delivered to this mailbox, and not into another folder such as spam.`,
    )
  } catch (error) {
    const [step] = failedSteps(mailbox, 'both', ['message'], error)
    return step ?? failed('The message was not sent.')
  }
}

/** Looks at what arrived since it looked last. */
async function hasArrived(
  { limited }: Testing,
  session: ImapSession,
  { nextUids, token }: { nextUids: Map<string, number>; token: string },
): Promise<boolean> {
  for (const [folder, next] of nextUids) {
    const { uidNext } = await limited(session.select(folder))
    const mails = session.fetchAfter(next - 1, uidNext - 1)[Symbol.asyncIterator]()
    for (let mail = await limited(mails.next()); !mail.done; mail = await limited(mails.next())) {
      const { source } = mail.value
      if (source instanceof Uint8Array && Buffer.from(source).includes(token)) return true
      // A large mail comes in pieces, which must be read before the next command. It is none of ours.
      if (source && !(source instanceof Uint8Array)) await limited(readAll(source))
    }
    nextUids.set(folder, uidNext)
  }
  return false
}

async function readAll(source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of source);
}

function messageOf(deps: Deps, { name, address }: Mailbox) {
  const id = deps.newId('msg')
  const self = { name, address }
  const token = messageToken(deps.encryption, id)
  const email = composeEmail(
    {
      from: self,
      to: [self],
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

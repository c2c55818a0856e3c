import { plainText } from '../formatting/plain-text.ts'
import { type DemoFileName, demoFile } from './demo-files.ts'
import { encodedWords, type MimePart, mimeMail } from './mime.ts'
import { AGENTS, MAILBOX } from './people.ts'
import type { PlannedTicket, Step } from './plan.ts'
import type { MailDetails } from './story.ts'

/** Something a customer writes. */
type WrittenStep = Extract<Step, { action: 'open' | 'write' }>

/** A step that arrives by email, as the mail server got it. */
interface RawMail {
  step: WrittenStep
  raw: Uint8Array
}

/** What a mail of a ticket can answer. */
interface Conversation {
  details: PlannedTicket
  /** Of the customers' mails, with angle brackets, oldest first. */
  messageIds: string[]
  /** The newest reply. */
  reply?: Extract<Step, { action: 'reply' }>
}

/** The mails of all tickets of the channel, as customers' mail programs write them (RFC 5322). */
export function writeRawMails(steps: Step[]): RawMail[] {
  const conversations = new Map<number, Conversation>()
  const mails: RawMail[] = []
  for (const step of steps) {
    if (step.action === 'open' && step.details.channel === 'email') {
      conversations.set(step.ticket, { details: step.details, messageIds: [] })
    }
    const conversation = conversations.get(step.ticket)
    if (!conversation) continue
    if (step.action === 'reply') conversation.reply = step
    if (step.action !== 'open' && step.action !== 'write') continue
    mails.push({ step, raw: rawMail(conversation, step) })
  }
  return mails
}

function rawMail(conversation: Conversation, step: WrittenStep): Uint8Array {
  const { details, messageIds } = conversation
  const { cc = [], from, isAutomatic, ...shown }: MailDetails = step.mail ?? {}
  const { name, email } = details.customer
  const domain = email.slice(email.indexOf('@') + 1)
  const contact = (one: { name: string; address: string }) => mailbox(one.name, `${one.address}@${domain}`)
  const earlier = messageIds.join('\r\n ')
  const messageId = `<${step.at.toString(36)}.${step.ticket}@${domain}>`
  messageIds.push(messageId)
  const headers = {
    From: from ? contact(from) : mailbox(name, email),
    To: mailbox(MAILBOX.name, MAILBOX.address),
    ...(cc.length > 0 && { Cc: cc.map(contact).join(', ') }),
    Subject: encodedWords(step.action === 'open' ? details.subject : `Re: ${details.subject}`),
    Date: dateOf(step.at),
    'Message-ID': messageId,
    ...(earlier !== '' && { 'In-Reply-To': messageIds.at(-2) ?? '', References: earlier }),
    ...(isAutomatic && { 'Auto-Submitted': 'auto-replied' }),
  }
  const text = isAutomatic ? step.text : `${step.text}${quoteOf(conversation)}`
  return mimeMail(headers, bodyOf(text, shown))
}

/** As mail programs nest it: files beside the text, the text as alternatives, pictures with the HTML that shows them. */
function bodyOf(
  text: string,
  { html, inline = [], files = [] }: Pick<MailDetails, 'html' | 'inline' | 'files'>,
): MimePart {
  const plain = { type: 'text/plain; charset=utf-8', content: text }
  const pictures = inline.map((name) => filePart(name, 'inline', { 'Content-ID': `<${name}>` }))
  const formatted = { type: 'text/html; charset=utf-8', content: html ?? '' }
  const related: MimePart = { type: 'multipart/related', content: [formatted, ...pictures] }
  const body: MimePart =
    html === undefined ? plain : { type: 'multipart/alternative', content: [plain, related] }
  const attached = files.map((name) => filePart(name, 'attachment'))
  return attached.length === 0 ? body : { type: 'multipart/mixed', content: [body, ...attached] }
}

function filePart(name: DemoFileName, disposition: string, headers: Record<string, string> = {}): MimePart {
  const type = `application/octet-stream; name="${name}"`
  return {
    type,
    content: demoFile(name),
    headers: { 'Content-Disposition': `${disposition}; filename="${name}"`, ...headers },
  }
}

function mailbox(name: string, address: string): string {
  const words = encodedWords(name)
  return words === name ? `"${name}" <${address}>` : `${words} <${address}>`
}

function dateOf(time: number): string {
  return new Date(time).toUTCString().replace('GMT', '+0000')
}

/** The reply that the mail answers, below it. */
function quoteOf({ reply }: Conversation): string {
  if (!reply) return ''
  const day = new Date(reply.at).toISOString().slice(0, 10)
  const lines = plainText(reply.text).split('\n')
  const writer = `${AGENTS[reply.agent]?.name} (${MAILBOX.name}) <${MAILBOX.address}>`
  return `\n\nOn ${day}, ${writer} wrote:\n${lines.map((line) => `> ${line}`).join('\n')}\n`
}

/** What a mail server reports when it can't deliver a mail of ours to `recipient` (RFC 3464). */
export function rawBounce(bounce: {
  at: number
  recipient: string
  messageId: string
  token: string
  reason: string
}): Uint8Array {
  const { at, recipient, messageId, token, reason } = bounce
  const status = [
    'Reporting-MTA: dns; mail.parcelbird.example',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    'Action: failed',
    'Status: 5.1.1',
    `Diagnostic-Code: smtp; ${reason}`,
    '',
  ]
  return mimeMail(
    {
      'Return-Path': '<>',
      From: '"Mail Delivery System" <MAILER-DAEMON@mail.parcelbird.example>',
      To: MAILBOX.address,
      Subject: 'Undelivered Mail Returned to Sender',
      Date: dateOf(at),
      'Message-ID': `<bounce.${at.toString(36)}@mail.parcelbird.example>`,
      'Auto-Submitted': 'auto-replied',
    },
    {
      type: 'multipart/report; report-type=delivery-status',
      content: [
        {
          type: 'text/plain',
          content: `Your message could not be delivered:\n\n<${recipient}>: ${reason}\n`,
        },
        { type: 'message/delivery-status', content: status.join('\r\n') },
        {
          type: 'text/rfc822-headers',
          content: `Message-ID: ${messageId}\r\nX-Bellhop-Message: ${token}\r\n`,
        },
      ],
    },
  )
}

import MailComposer from 'nodemailer/lib/mail-composer'
import { plainText } from '../formatting/plain-text.ts'
import company from './company.yaml'
import { type DemoFileName, demoFile } from './files.ts'
import type { PlannedTicket, Step } from './plan.ts'
import type { MailDetails } from './stories.yaml'

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
export async function writeRawMails(steps: Step[]): Promise<RawMail[]> {
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
    mails.push({ step, raw: await rawMail(conversation, step) })
  }
  return mails
}

async function rawMail(conversation: Conversation, step: WrittenStep): Promise<Uint8Array> {
  const { details, messageIds } = conversation
  const { cc = [], from, isAutomatic, html, inline = [], files = [] }: MailDetails = step.mail ?? {}
  const { name, email } = details.customer
  const domain = email.slice(email.indexOf('@') + 1)
  const contact = (one: { name: string; address: string }) => ({
    ...one,
    address: `${one.address}@${domain}`,
  })
  const messageId = `<${step.at.toString(36)}.${step.ticket}@${domain}>`
  const references = [...messageIds]
  messageIds.push(messageId)
  const mail = new MailComposer({
    from: from ? contact(from) : { name, address: email },
    to: { name: company.mailbox.name, address: company.mailbox.address },
    cc: cc.map(contact),
    subject: step.action === 'open' ? details.subject : `Re: ${details.subject}`,
    date: new Date(step.at),
    messageId,
    inReplyTo: references.at(-1) ?? '',
    references,
    headers: isAutomatic ? { 'Auto-Submitted': 'auto-replied' } : {},
    text: isAutomatic ? step.text : `${step.text}${quoteOf(conversation)}`,
    html: html ?? '',
    attachments: [
      ...(await Promise.all(inline.map(async (name) => ({ ...(await fileOf(name)), cid: name })))),
      ...(await Promise.all(files.map(fileOf))),
    ],
  })
  return mail.compile().build()
}

async function fileOf(filename: DemoFileName) {
  return {
    filename,
    content: Buffer.from(await demoFile(filename)),
    contentType: 'application/octet-stream',
  }
}

/** The reply that the mail answers, below it. */
function quoteOf({ reply }: Conversation): string {
  if (!reply) return ''
  const day = new Date(reply.at).toISOString().slice(0, 10)
  const lines = plainText(reply.text).split('\n')
  const writer = `${company.agents[reply.agent]?.name} (${company.mailbox.name}) <${company.mailbox.address}>`
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
  return Buffer.from(`Return-Path: <>
From: "Mail Delivery System" <MAILER-DAEMON@mail.parcelbird.example>
To: ${company.mailbox.address}
Subject: Undelivered Mail Returned to Sender
Date: ${new Date(at).toUTCString()}
Message-ID: <bounce.${at.toString(36)}@mail.parcelbird.example>
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="part"

--part
Content-Type: text/plain

Your message could not be delivered:

<${recipient}>: ${reason}
--part
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.parcelbird.example

Final-Recipient: rfc822; ${recipient}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; ${reason}
--part
Content-Type: text/rfc822-headers

Message-ID: ${messageId}
X-Bellhop-Message: ${token}
--part--
`)
}

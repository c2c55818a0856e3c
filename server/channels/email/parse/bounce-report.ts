import { cleanLine, cleanText, firstCodePoints } from './clean-text.ts'
import { textOf } from './mail-body.ts'
import { type MailHeaders, readHeaders, readMessageId } from './mail-headers.ts'
import type { MimePart } from './mime-parts.ts'
import type { BouncedRecipient, BounceReport, MailAddress } from './parsed-mail.ts'
import { decodedChunks } from './part-content.ts'

const MAX_RECIPIENTS = 100
const MAX_DIAGNOSTIC_LENGTH = 1_000
const MAX_TEXT_LENGTH = 10_000
const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const
/** Parts that hold the mail the report is about, or its headers. */
const ORIGINALS = new Set([
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'message/global-headers',
])
const STATUS_PARTS = new Set(['message/delivery-status', 'message/global-delivery-status'])
const STATUS_CODE = /\b([245]\.\d{1,3}\.\d{1,3})\b/
const REPORTING_SENDER = /^(?:mailer[-._]?daemon|postmaster|mail[-._]?daemon|mailerdaemon|mail-delivery)/i
const BOUNCE_SUBJECT =
  /undeliver|delivery (?:status notification|failure|has failed|problem|notification: failed)|mail delivery (?:failed|failure|system|subsystem)|returned (?:mail|to sender)|failure notice|delivery report|could not be delivered|unzustellbar|nicht zugestellt|non remis|échec de la remise|no se ha podido entregar|não foi possível entregar|mancato recapito|onbestelbaar/i
/** `<ana@example.com>:` above the reason, as qmail and Postfix write it; `  ana@example.com` alone, as Exim does. */
const NAMED_RECIPIENT = /^[ \t]*<?([^\s<>:,;"]{1,64}@[^\s<>:,;"]{1,190})>?[ \t]*(?::|\(.{0,100}\)|$)/
const QUOTED_MESSAGE_ID = /^[> \t]*message-id:[ \t]*(<[^<>\s]{1,500}>)/im

interface ReceivedMail {
  root: MimePart
  from: MailAddress | null
  returnPath: string | null
  subject: string
}

/**
 * Reads a report about a mail that was sent from here: a delivery status notification (RFC 3464), or a notice without
 * one, recognized by its sender and subject. Null for any other mail.
 */
export function bounceReport(mail: ReceivedMail, text: string): BounceReport | null {
  const parts = leaves(mail.root)
  // A customer may forward a report that they received, as a part of their own mail.
  const isReport = mail.root.type === 'multipart/report' || isFromServer(mail)
  const status = isReport ? parts.find(({ type }) => STATUS_PARTS.has(type)) : undefined
  if (!status && !isPlainNotice(mail)) return null
  const recipients = status ? recipientsOf(decodedText(status)) : recipientsIn(text, mail.root.headers)
  if (recipients.length === 0) return null
  const original = parts.find(({ type }) => ORIGINALS.has(type))
  const originalId = original
    ? readMessageId(readHeaders(bytesOf(original)).headers.first('message-id'))
    : readMessageId(QUOTED_MESSAGE_ID.exec(text)?.[1])
  return {
    originalMessageId: originalId,
    recipients,
    text: firstCodePoints(cleanText(text).trim(), MAX_TEXT_LENGTH),
  }
}

function leaves(part: MimePart): MimePart[] {
  return part.children.length > 0 ? part.children.flatMap(leaves) : [part]
}

/** Each recipient has a block of fields; the first block is about the report (RFC 3464, 2.1). */
function recipientsOf(report: string): BouncedRecipient[] {
  const blocks = report
    .split(/\n[ \t]*\n/)
    .map((block) => readHeaders(Buffer.from(`${block.trim()}\n\n`)).headers)
  return blocks
    .map((fields) => recipientOf(fields))
    .filter((recipient) => recipient !== undefined)
    .slice(0, MAX_RECIPIENTS)
}

function recipientOf(fields: MailHeaders): BouncedRecipient | undefined {
  const recipient = fields.first('original-recipient') ?? fields.first('final-recipient') ?? ''
  const final = fields.first('final-recipient') ?? recipient
  const address = addressIn(recipient) || addressIn(final)
  const said = fields.first('action')?.trim().toLowerCase().split(/[\s(]/)[0]
  const diagnostic = (fields.first('diagnostic-code') ?? '').replace(/^\s*[\w-]+\s*;\s*/, '')
  const status =
    STATUS_CODE.exec(fields.first('status') ?? '')?.[1] ?? STATUS_CODE.exec(diagnostic)?.[1] ?? ''
  const action = ACTIONS.find((one) => one === said) ?? (status.startsWith('4') ? 'delayed' : 'failed')
  if (!address || (!said && !status)) return undefined
  return { address, action, status, diagnostic: cleanLine(diagnostic, MAX_DIAGNOSTIC_LENGTH) }
}

/** The address of `rfc822; ana@example.com`. */
function addressIn(field: string): string {
  const value = field.includes(';') ? field.slice(field.indexOf(';') + 1) : field
  const address = value.trim().replace(/^<|>$/g, '')
  return address.includes('@') && !/\s/.test(address) ? cleanLine(address, 254) : ''
}

/** A notice in a server's own words. An ordinary mail from the postmaster is none. */
function isPlainNotice(mail: ReceivedMail): boolean {
  if (mail.root.headers.first('x-failed-recipients') !== undefined) return true
  return isFromServer(mail) && BOUNCE_SUBJECT.test(mail.subject)
}

function isFromServer({ from, returnPath }: ReceivedMail): boolean {
  return returnPath === '' || REPORTING_SENDER.test(from?.address ?? '')
}

function recipientsIn(text: string, headers: MailHeaders): BouncedRecipient[] {
  const lines = text.split('\n')
  const recipients = new Map<string, BouncedRecipient>()
  for (const [at, line] of lines.entries()) {
    // Below this line, the notice repeats the mail, including its addresses.
    if (/^-{2,}.{0,60}(?:copy of the message|original message|undelivered message)/i.test(line)) break
    const address = NAMED_RECIPIENT.exec(line)?.[1]
    if (!address || recipients.has(address) || recipients.size >= MAX_RECIPIENTS) continue
    const reason = [line.slice(line.indexOf(address) + address.length), ...lines.slice(at + 1, at + 6)].join(
      ' ',
    )
    recipients.set(address, failure(address, reason.replace(/^[>:\s]+/, '')))
  }
  const declared = (headers.first('x-failed-recipients') ?? '').split(',').map((address) => address.trim())
  for (const address of declared.filter((one) => one.includes('@')).slice(0, MAX_RECIPIENTS)) {
    if (!recipients.has(address)) recipients.set(address, failure(address, ''))
  }
  return [...recipients.values()]
}

function failure(address: string, reason: string): BouncedRecipient {
  const status = STATUS_CODE.exec(reason)?.[1] ?? ''
  const action = status.startsWith('4') ? 'delayed' : 'failed'
  return {
    address: cleanLine(address, 254),
    action,
    status,
    diagnostic: cleanLine(reason, MAX_DIAGNOSTIC_LENGTH),
  }
}

function decodedText(part: MimePart): string {
  return textOf(part).replace(/\r\n?/g, '\n')
}

function bytesOf({ body, encoding }: MimePart): Uint8Array {
  return Buffer.concat([...decodedChunks(body, encoding)])
}

import { and, eq, isNull } from 'drizzle-orm'
import { addressKey, isFormSender } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import { statement, text } from '../../../database/statement.ts'
import { agents } from '../../../database/tables/agents.ts'
import type { EmailAddress } from '../../../database/tables/messages.ts'
import { isBlank } from '../../../text/text.ts'
import type { Message } from '../../../tickets/queries.ts'
import type { OwnAddresses } from '../own-addresses.ts'
import type { AutomaticReason, ParsedMail } from '../parse/parsed-mail.ts'
import type { MailTicket } from './find-ticket.ts'

/** How groups and lists name the member whose mail they pass on: `'Flo' via Help`. */
const VIA = /^(.{1,200}?)\s+via\s+\S.{0,200}$/iu
const QUOTES = /^['"‘’“”]+|['"‘’“”]+$/gu

export interface Writer {
  /** As the mail says. */
  from: EmailAddress
  /** The person whose words it has: not the form or the group that sent it in their name. */
  person: EmailAddress
}

/**
 * Who wrote a mail. When a form, a group, or one of our own addresses sent it, that is the person in `Reply-To`; of a
 * group without one, the member that it names. Undefined without a valid sender.
 */
export function writerOf(parsed: ParsedMail, own: OwnAddresses): Writer | undefined {
  const from = parsed.from ?? parsed.sender
  if (!from) return undefined
  const [, via] = VIA.exec(from.name) ?? []
  const member = via?.replaceAll(QUOTES, '').trim()
  const isRelayed = member !== undefined || own.has(from.address) || isFormSender(from.address)
  if (!isRelayed) return { from, person: from }
  const isSomeoneElse = ({ address }: EmailAddress) =>
    !own.has(address) && addressKey(address) !== addressKey(from.address)
  const groups = new Set([...parsed.to, ...parsed.cc].map(({ address }) => addressKey(address)))
  // A group that wants answers to go to all of it names itself in Reply-To too.
  const writers = parsed.replyTo.filter(isSomeoneElse)
  const replyTo = writers.find(({ address }) => !groups.has(addressKey(address))) ?? writers[0]
  const original = member === undefined ? undefined : parsed.originalFrom.find(isSomeoneElse)
  const someone = replyTo ?? original
  if (!someone && member === undefined) return { from, person: from }
  const { name, address } = someone ?? from
  return { from, person: { name: member ?? name, address } }
}

export function nameOf({ name }: EmailAddress): string | undefined {
  return isBlank(name) ? undefined : name
}

/** The name of the colleague who wrote a mail: it comes from an agent's address, or from one of our own. */
export async function findColleague(
  tx: Transaction,
  { orgId, own, writer: { from, person } }: { orgId: string; own: OwnAddresses; writer: Writer },
): Promise<string | undefined> {
  if (person !== from) return undefined
  const [agent] = await findAgent(tx, { orgId, emailKey: from.address.toLowerCase() })
  if (agent) return agent.name
  return own.has(from.address) ? (nameOf(from) ?? from.address) : undefined
}

/** For a third party if the customer doesn't get it. */
export type ColleagueAnswer = Pick<Message, 'author'>

/**
 * Whether a colleague's mail is an answer of ours: it went to people outside, about a ticket that isn't the colleague's
 * own. Any other mail of a colleague is stored like everyone's.
 */
export function answerOf(
  { email, isAutomatic }: Pick<Message, 'email' | 'isAutomatic'>,
  { own, ticket }: { own: OwnAddresses; ticket: MailTicket },
): ColleagueAnswer | undefined {
  if (!email || isAutomatic || ticket.author === 'customer') return undefined
  const outside = [...email.to, ...email.cc].filter(({ address }) => !own.has(address))
  if (outside.length === 0) return undefined
  const { customer } = ticket
  const keys = new Set([...customer].map(addressKey))
  const isInformed = keys.size === 0 || outside.some(({ address }) => keys.has(addressKey(address)))
  return { author: isInformed ? null : 'third_party' }
}

const findAgent = statement('incoming_agent', { orgId: text, emailKey: text }, (tx, p) =>
  tx
    .select({ name: agents.name })
    .from(agents)
    .where(and(eq(agents.orgId, p.orgId), eq(agents.emailKey, p.emailKey), isNull(agents.disabledAt))),
)

/**
 * Whether the message counts as written by a program, which reopens nothing. Lists only ask for no automatic answer. And
 * rules of a mail server mark what people write: someone who answers us is a person, unless the mail says that a program
 * answered.
 */
export function isAutomatic(
  { automatic }: ParsedMail,
  { writer, ticket }: { writer: Writer; ticket: MailTicket | undefined },
): boolean {
  switch (automatic) {
    case null:
    case 'precedence':
    case 'mailing_list':
      return false
    case 'auto_replied':
    case 'read_receipt':
      return true
    case 'no_reply_sender':
      // A form has the words of the person in Reply-To.
      return writer.person === writer.from && !ticket?.answersUs
    default:
      return !ticket?.answersUs
  }
}

export const AUTOMATIC_REASONS: Record<AutomaticReason, string> = {
  auto_replied: 'The email says that a program answered.',
  auto_submitted: 'The email says that a program wrote it (Auto-Submitted).',
  auto_response_suppress: 'The email asks for no automatic response (X-Auto-Response-Suppress).',
  precedence: 'The email was sent in bulk (Precedence).',
  mailing_list: 'The email comes from a mailing list (List-Id).',
  read_receipt: 'The email is a read receipt.',
  empty_return_path: 'The email has no return address (Return-Path).',
  no_reply_sender: 'The sender accepts no replies (no-reply).',
}

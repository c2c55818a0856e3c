import type { Encryption } from '../../encryption.ts'
import { isId } from '../../ids.ts'

type Signer = Pick<Encryption, 'sign' | 'isSigned'>

/** The end of a ticket's id, which is also its handle on the page: `server/search/query-language.ts`. */
const HANDLE_LENGTH = 6
/** The part of an address after `+`: a handle and a signature. Addresses may arrive in upper case. */
const IN_ADDRESS = /\+([0-9a-z]{6})([0-9a-z]{16})@/gi
const IN_SUBJECT = /\[#([0-9a-z]{6})-([0-9a-z]{16})\]/gi
/** A mail can name 20,000 recipients. Only the first tokens are read. */
const MAX_TOKENS = 20

/**
 * A reference to a ticket that came back in a mail. The handle finds candidates in the organization
 * (`tickets_by_handle`), and `isTokenOf` tells which of them was meant.
 */
export interface TicketToken {
  place: 'address' | 'subject'
  handle: string
  signature: string
}

/**
 * The address for replies to a ticket, such as `support+x3k9ad7h2m…@example.com`, for `Reply-To`. The server must
 * support subaddresses (RFC 5233). Keeps the local part within 64 characters (RFC 5321) if it has at most 41.
 */
export function replyAddress(signer: Signer, mailbox: string, ticketId: string): string {
  const at = mailbox.lastIndexOf('@')
  const token = handleOf(ticketId) + signer.sign('reply address', ticketId)
  return `${mailbox.slice(0, at)}+${token}${mailbox.slice(at)}`
}

/** The address for answers to a notification, which become notes. */
export function noticeReplyAddress(signer: Signer, mailbox: string, id: string): string {
  const at = mailbox.lastIndexOf('@')
  const token = handleOf(id) + signer.sign('notification address', id)
  return `${mailbox.slice(0, at)}+${token}${mailbox.slice(at)}`
}

/** Whether the token of an address was made for this notification. */
export function isNoticeToken(signer: Signer, { handle, signature }: TicketToken, id: string): boolean {
  return handleOf(id) === handle && signer.isSigned('notification address', id, signature)
}

/**
 * The token at the end of a subject that leads replies to the ticket, such as `[#x3k9ad-7h2m…]`, for servers without
 * subaddresses.
 */
function subjectToken(signer: Signer, ticketId: string): string {
  return `[#${handleOf(ticketId)}-${signer.sign('subject', ticketId)}]`
}

/** A subject that leads replies to the ticket. */
export function withSubjectToken(signer: Signer, subject: string, ticketId: string): string {
  return `${withoutSubjectToken(signer, subject, ticketId)} ${subjectToken(signer, ticketId)}`.trimStart()
}

/** A subject without our tokens. Tokens of others stay, including those of another Bellhop, which needs them. */
export function withoutSubjectToken(signer: Signer, subject: string, ticketId: string): string {
  const token = subjectToken(signer, ticketId)
  const at = subject.toLowerCase().indexOf(token)
  if (at < 0) return subject
  return `${subject.slice(0, at).trimEnd()} ${subject.slice(at + token.length).trimStart()}`.trim()
}

/** Tokens in the addresses of a mail, in their order, without repetitions. Takes header values or bare addresses. */
export function tokensInAddresses(addresses: readonly string[]): TicketToken[] {
  return tokensIn('address', addresses.join(' '), IN_ADDRESS)
}

/** An address for replies as the address of its mailbox. Any other address is as it was. */
export function withoutToken(address: string): string {
  return address.replace(IN_ADDRESS, '@')
}

/** Tokens in a subject. */
export function tokensInSubject(subject: string): TicketToken[] {
  return tokensIn('subject', subject, IN_SUBJECT)
}

/** Whether the token was made for this ticket. */
export function isTokenOf(signer: Signer, token: TicketToken, ticketId: string): boolean {
  if (!isId('tkt', ticketId) || handleOf(ticketId) !== token.handle) return false
  return signer.isSigned(token.place === 'address' ? 'reply address' : 'subject', ticketId, token.signature)
}

function tokensIn(place: TicketToken['place'], text: string, pattern: RegExp): TicketToken[] {
  const found = new Map<string, TicketToken>()
  for (const [whole, handle = '', signature = ''] of text.toLowerCase().matchAll(pattern)) {
    found.set(whole, { place, handle, signature })
    if (found.size === MAX_TOKENS) break
  }
  return [...found.values()]
}

function handleOf(ticketId: string): string {
  return ticketId.slice(-HANDLE_LENGTH)
}

import { domainToASCII } from 'node:url'
import type { Encryption } from '../../encryption.ts'
import { isId } from '../../ids.ts'

type Signer = Pick<Encryption, 'sign' | 'isSigned'>

/** `msg_….signature`, as the left side of a Message-ID and alone in `X-Bellhop-Message`. */
const SIGNED = /\b(msg_[0-9a-z]{26})\.([0-9a-z]{16})\b/gi
/** The same for a notification of an agent. */
const SIGNED_NOTICE = /\b(ntf_[0-9a-z]{26})\.([0-9a-z]{16})\b/gi
/** A message id (RFC 5322, section 3.6.4) as lenient as real mail requires: printable ASCII between angle brackets. */
const MESSAGE_ID = /<[!-;=?-~]{1,250}>/g
/** The most references that are verified. A hostile mail can have thousands. */
const MAX_VERIFIED = 100
/** Some servers refuse longer headers, or cut them. */
const MAX_REFERENCES_LENGTH = 1_500

/** The `Message-ID` of a message, with angle brackets. `domain` can be an internationalized one. */
export function messageIdOf(signer: Signer, messageId: string, domain: string): string {
  return `<${messageToken(signer, messageId)}@${domainToASCII(domain) || 'localhost'}>`
}

/** For `X-Bellhop-Message`, which survives servers that replace the Message-ID. */
export function messageToken(signer: Signer, messageId: string): string {
  return `${messageId}.${signer.sign('message id', messageId)}`
}

/**
 * The ids of our messages in header values such as `In-Reply-To`, `References`, and `X-Bellhop-Message`, in their
 * order, without repetitions. Only those with our signature.
 */
export function ownMessageIdsIn(signer: Signer, ...headers: readonly string[]): string[] {
  const found = new Set<string>()
  const candidates = headers.join(' ').toLowerCase().matchAll(SIGNED).take(MAX_VERIFIED)
  for (const [, id = '', signature = ''] of candidates) {
    if (isId('msg', id) && signer.isSigned('message id', id, signature)) found.add(id)
  }
  return [...found]
}

/** The `Message-ID` of a notification, with angle brackets. */
export function noticeIdOf(signer: Signer, id: string, domain: string): string {
  return `<${noticeToken(signer, id)}@${domainToASCII(domain) || 'localhost'}>`
}

export function noticeToken(signer: Signer, id: string): string {
  return `${id}.${signer.sign('notification id', id)}`
}

/** The ids of our notifications in header values, in their order. Only those with our signature. */
export function noticeIdsIn(signer: Signer, ...headers: readonly string[]): string[] {
  const found = new Set<string>()
  for (const [, id = '', signature = ''] of headers
    .join(' ')
    .toLowerCase()
    .matchAll(SIGNED_NOTICE)
    .take(MAX_VERIFIED)) {
    if (isId('ntf', id) && signer.isSigned('notification id', id, signature)) found.add(id)
  }
  return [...found]
}

/** The message ids in a header value, with angle brackets, in their order. Anything else in it is left out. */
export function messageIdsIn(header: string): string[] {
  return header.match(MESSAGE_ID) ?? []
}

/**
 * `References` of an answer to a mail, oldest first: the mail's own references, then the mail. Within 1,500 characters
 * it keeps the first, which began the conversation, and the newest ones.
 */
export function referencesTo(mail: { messageId: string; references: readonly string[] }): string[] {
  const all = [...new Set([...mail.references, mail.messageId].flatMap(messageIdsIn))]
  const [first, ...later] = all
  if (first === undefined) return []
  let length = first.length
  const newest: string[] = []
  for (const id of later.reverse()) {
    length += id.length + 1
    if (length > MAX_REFERENCES_LENGTH) break
    newest.unshift(id)
  }
  return [first, ...newest]
}

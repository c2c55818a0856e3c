import type { FrozenEmail } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import type { Notice, Send } from '../../channel.ts'
import { noticeIdOf, noticeToken } from '../message-id.ts'
import { noticeReplyAddress } from '../reply-address.ts'
import { emailBody } from './email-body.ts'
import { conversationOf, withoutBrackets } from './email-content.ts'
import { reasonToWait } from './email-way.ts'
import type { Mailbox } from './queries.ts'

/** Freezes an email to an agent about what happened. It is part of no ticket, and an answer to it becomes a note. */
export function planNotice(
  deps: Deps,
  { orgId, id, to, subject, text, createdAt }: Notice,
  mailbox: Mailbox,
): Send {
  const { encryption } = deps
  const { name, address, hasSubaddresses } = mailbox
  const replyTo = hasSubaddresses === false ? address : noticeReplyAddress(encryption, address, id)
  const content: FrozenEmail = {
    from: { name, address },
    replyTo: { name, address: replyTo },
    to: [to],
    cc: [],
    subject,
    ...emailBody({
      texts: [{ text, format: 'plain' }],
      signatures: [],
      quoted: undefined,
      forwarded: undefined,
      images: [],
    }),
    files: [],
    messageId: noticeIdOf(encryption, id, address.slice(address.lastIndexOf('@') + 1)),
    token: noticeToken(encryption, id),
    inReplyTo: null,
    references: [],
    date: createdAt,
    autoSubmitted: 'auto-generated',
  }
  return {
    id: deps.newId('snd'),
    orgId,
    ticketId: '',
    messageId: null,
    channel: 'email',
    laneId: mailbox.id,
    conversation: conversationOf(id, content),
    content,
    state: 'waiting',
    dueAt: createdAt,
    attempts: 0,
    externalId: withoutBrackets(content.messageId),
    error: reasonToWait(mailbox) ?? '',
    outcomes: [],
    createdAt,
    finishedAt: null,
  }
}

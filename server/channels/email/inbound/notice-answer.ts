import { and, eq, isNull, sql } from 'drizzle-orm'
import type { ReceivedFile } from '../../../attachments/bindings.ts'
import { addressKey } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { agents } from '../../../database/tables/agents.ts'
import { notificationEmails } from '../../../database/tables/notifications.ts'
import type { Deps } from '../../../deps.ts'
import { isBlank } from '../../../text/text.ts'
import { addNote } from '../../../threads/notes.ts'
import { lockTicket } from '../../../tickets/queries.ts'
import { noticeIdsIn } from '../message-id.ts'
import type { ParsedMail } from '../parse/parsed-mail.ts'
import { isNoticeToken, tokensInAddresses } from '../reply-address.ts'
import type { Writer } from './writer.ts'

type NoticeEmail = typeof notificationEmails.$inferSelect

/**
 * What becomes of an answer to a notification: an internal note, or why not. A customer never sees it. Undefined for a mail
 * that answers none. Our signature names the notification, in the headers or the address; a copy of the mail could be
 * answered by anyone, so it must also come from the agent's address, and no check of the sender may have failed.
 */
export async function storeNoticeAnswer(
  deps: Deps,
  tx: Transaction,
  {
    orgId,
    parsed,
    writer,
    files,
  }: { orgId: string; parsed: ParsedMail; writer: Writer; files: ReceivedFile[] },
): Promise<{ refusal: string } | { ticketId: string; noteId: string } | undefined> {
  const notice = await noticeOf(deps, tx, orgId, parsed)
  if (!notice) return undefined
  const [agent] = await tx
    .select({ id: agents.id, name: agents.name, emailKey: agents.emailKey })
    .from(agents)
    .where(and(matches(agents, { orgId, id: notice.agentId }), isNull(agents.disabledAt)))
  if (parsed.automatic !== null) return { refusal: 'An automatic answer to a notification.' }
  if (!agent || addressKey(writer.from.address) !== addressKey(agent.emailKey)) {
    return { refusal: 'It answers a notification of an agent, but comes from another address.' }
  }
  if (!parsed.from || parsed.hasSeveralSenders) {
    return { refusal: 'It answers a notification, but does not name one sender alone: it may be forged.' }
  }
  const { authentication } = parsed
  if (authentication && [authentication.dmarc, authentication.spf, authentication.dkim].includes('fail')) {
    return { refusal: 'It answers a notification, but the mail server found that its sender is forged.' }
  }
  if (notice.ticketId === '') {
    return { refusal: 'It answers a notification about several tickets. Add the note in Bellhop.' }
  }
  if (isBlank(parsed.text) && files.length === 0)
    return { refusal: 'An answer to a notification without a text.' }
  const [ticket] = await lockTicket(tx, { orgId, id: notice.ticketId })
  if (!ticket) return { refusal: 'It answers a notification about a ticket that was deleted.' }
  const noteId = await addNote(deps, tx, orgId, {
    ticketId: ticket.id,
    agentId: agent.id,
    agentName: agent.name,
    text: parsed.text,
    files,
  })
  return { ticketId: ticket.id, noteId }
}

async function noticeOf(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  mail: ParsedMail,
): Promise<NoticeEmail | undefined> {
  const { encryption } = deps
  for (const id of noticeIdsIn(encryption, ...mail.inReplyTo, ...mail.references.toReversed())) {
    const [named] = await tx
      .select()
      .from(notificationEmails)
      .where(matches(notificationEmails, { orgId, id }))
    if (named) return named
  }
  const recipients = [...mail.to, ...mail.cc].map(({ address }) => address)
  for (const token of tokensInAddresses([...recipients, ...mail.deliveredTo])) {
    const candidates = await tx
      .select()
      .from(notificationEmails)
      .where(
        and(eq(notificationEmails.orgId, orgId), sql`substr(${notificationEmails.id}, 25) = ${token.handle}`),
      )
    const meant = candidates.find(({ id }) => isNoticeToken(encryption, token, id))
    if (meant) return meant
  }
  return undefined
}

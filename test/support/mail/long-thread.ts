import { type MessageEmail, messageContents } from '../../../server/database/tables/messages.ts'
import type { Deps } from '../../../server/deps.ts'
import { insertMessages, newMessage } from '../../../server/tickets/queries.ts'

const MAILS_AT_ONCE = 50
const LINE =
  'On the delivery note of the second order there was a lamp that never arrived, as I wrote before.\n'

interface LongThread {
  /** How many mails. */
  mails: number
  /** Characters that each quotes. */
  quoted: number
}

/** Adds mails of two people to a ticket as they are stored, each with new text of 1,000 characters, HTML and a quote. */
export async function addLongThread(
  { database, newId, clock }: Deps,
  { orgId, ticketId }: { orgId: string; ticketId: string },
  { mails, quoted }: LongThread,
): Promise<void> {
  const people = [
    { name: 'Ana Pires', address: 'ana@customer.test' },
    { name: 'Cy Ortega', address: 'cy@customer.test' },
  ] as const
  const support = { name: 'Support', address: 'support@acme.example' }
  const firstAt = clock.now() - mails * 60_000
  for (let start = 0; start < mails; start += MAILS_AT_ONCE) {
    await database.write(undefined, async (tx) => {
      for (let number = start; number < Math.min(start + MAILS_AT_ONCE, mails); number += 1) {
        const [writer, other] = number % 2 ? [people[1], people[0]] : people
        const id = newId('msg')
        const email: MessageEmail = {
          from: writer,
          replyTo: [],
          to: [support],
          cc: [other],
          subject: 'Re: Missing invoice',
          messageId: `${number}@customer.test`,
          references: [],
        }
        const text = `Mail ${number}\n${LINE.repeat(10)}`
        const isAna = writer.name === 'Ana Pires'
        const message = newMessage({
          id,
          orgId,
          ticketId,
          role: 'customer',
          text,
          email,
          author: isAna ? 'customer' : 'participant',
          authorName: isAna ? null : writer.name,
          hasHtml: true,
          hasQuote: true,
          createdAt: firstAt + number * 60_000,
        })
        await insertMessages(tx, [message])
        const quote = LINE.repeat(Math.ceil(quoted / LINE.length))
        const html = `<p>${text}</p><blockquote type="cite" data-quote="">${quote}</blockquote>`
        await tx
          .insert(messageContents)
          .values({ messageId: id, orgId, ticketId, quoted: quote, html, mailId: null })
      }
    })
  }
}

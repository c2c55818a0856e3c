import { isoTime } from '../../../dates.ts'
import type { TicketVisitor } from './ticket-visitor.ts'

/** A visitor as agents see them beside their ticket. */
export function viewTicketVisitor({ visitor, widget, isAddressBlocked }: TicketVisitor, isOnline: boolean) {
  const { id, userId, typedName, typedEmail, pageUrl, pageTitle, browser, language, timeZone, address } =
    visitor
  return {
    id,
    widget: { id: widget.id, name: widget.name },
    isVerified: userId !== null,
    userId,
    typedName,
    typedEmail,
    answers: answersOf({ visitor, widget }),
    page: pageUrl === '' ? null : { url: pageUrl, title: pageTitle },
    browser,
    language,
    timeZone,
    address,
    lastSeenAt: isoTime(visitor.lastSeenAt),
    isOnline,
    isBlocked: visitor.blockedAt !== null,
    isAddressBlocked,
  }
}

/** In the order of the questions, then answers to questions that the widget no longer asks. */
function answersOf({ visitor, widget }: Pick<TicketVisitor, 'visitor' | 'widget'>) {
  const labels = new Map(widget.questions.fields.map(({ key, label }) => [key, label]))
  const keys = new Set([...labels.keys(), ...Object.keys(visitor.fields)])
  return [...keys].flatMap((key) => {
    const text = visitor.fields[key]
    return text ? [{ label: labels.get(key) ?? key, text }] : []
  })
}

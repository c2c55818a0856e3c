import { t } from 'elysia'
import { orNull } from '../../../requests/schemas.ts'
import { time } from '../../../tickets/schemas.ts'

export const ticketVisitor = t.Object({
  id: t.String(),
  widget: t.Object({ id: t.String(), name: t.String() }),
  /** Whether the website has signed them in. */
  isVerified: t.Boolean(),
  /** The website's own id for them. */
  userId: orNull(t.String()),
  /** As they typed them: no one has checked them. Empty for none. */
  typedName: t.String(),
  typedEmail: t.String(),
  /** Answers to the questions of the widget. */
  answers: t.Array(t.Object({ label: t.String(), text: t.String() })),
  /** The page that they were on last. */
  page: orNull(t.Object({ url: t.String(), title: t.String() })),
  browser: t.String(),
  language: t.String(),
  timeZone: t.String(),
  /** The IP address; empty when it is unknown. */
  address: t.String(),
  lastSeenAt: time('When their page was last connected.'),
  /** Whether they have a page of the website open now. */
  isOnline: t.Boolean(),
  isBlocked: t.Boolean(),
  /** Whether everyone with this IP address is blocked. */
  isAddressBlocked: t.Boolean(),
})

export const visitorBlock = t.Object(
  { isBlocked: t.Optional(t.Boolean()), isAddressBlocked: t.Optional(t.Boolean()) },
  { additionalProperties: false },
)

const blockedAt = time('When they were blocked.')

export const blockedList = t.Object({
  visitors: t.Array(
    t.Object({
      id: t.String(),
      isVerified: t.Boolean(),
      /** Empty when they gave none. Not checked unless the visitor is verified. */
      name: t.String(),
      email: t.String(),
      widgetName: t.String(),
      /** Their newest conversation; null when it was deleted. */
      ticketId: orNull(t.String()),
      blockedAt,
    }),
  ),
  addresses: t.Array(t.Object({ address: t.String(), agentName: orNull(t.String()), blockedAt })),
})

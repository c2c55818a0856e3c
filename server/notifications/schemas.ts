import type { TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import { REASONS } from '../database/tables/notifications.ts'
import { oneOf, orNull } from '../requests/schemas.ts'
import { CHOSEN_REASONS } from './choices.ts'

const strict = { additionalProperties: false }
const time = t.String({ format: 'date-time' })
const sound = t.Union([t.Boolean(), t.Literal('chats')])
const ways = t.Object({ push: t.Boolean(), email: t.Boolean(), sound }, strict)
const byReason = <Schema extends TSchema>(schema: Schema) =>
  Object.fromEntries(CHOSEN_REASONS.map((reason) => [reason, schema])) as Record<
    (typeof CHOSEN_REASONS)[number],
    Schema
  >

/** One of the agent's browsers that get pushes. */
export const browser = t.Object({
  id: t.String(),
  /** The address that its push service gave it, by which the browser knows itself. */
  endpoint: t.String(),
  device: t.String(),
  createdAt: time,
  lastSentAt: orNull(time),
  /** Why the newest push did not reach the push service; empty when it did. */
  error: t.String(),
})

export const choices = t.Object({
  ways: t.Object(byReason(ways)),
  showsText: t.Boolean(),
  pausedUntil: orNull(time),
  hasSummary: t.Boolean(),
})

export const ownNotifications = t.Object({
  ...choices.properties,
  /** The key with which a browser subscribes, base64url. */
  publicKey: t.String(),
  browsers: t.Array(browser),
  /** Saved views whose new tickets the agent is notified of. */
  bells: t.Array(t.Object({ viewId: t.String(), name: t.String(), push: t.Boolean(), email: t.Boolean() })),
  /** Where emails come from; null while no mailbox is connected. */
  mailbox: orNull(t.String()),
  /** The agent's own address. */
  email: t.String(),
})

export const choicesChange = t.Partial(
  t.Object(
    {
      ways: t.Partial(t.Object(byReason(t.Partial(ways)), strict)),
      showsText: t.Boolean(),
      pausedUntil: orNull(time),
      hasSummary: t.Boolean(),
      timeZone: t.String({ minLength: 1, maxLength: 64 }),
    },
    strict,
  ),
)

export const newSubscription = t.Object(
  {
    endpoint: t.String({ maxLength: 4_096 }),
    keys: t.Object({ p256dh: t.String({ maxLength: 200 }), auth: t.String({ maxLength: 100 }) }, strict),
    replaces: t.Optional(t.String({ maxLength: 4_096 })),
  },
  strict,
)

/** Notifications that the agent has not seen. */
export const unseen = t.Object({
  data: t.Array(
    t.Object({
      ticketId: t.String(),
      reason: oneOf(REASONS),
      createdAt: time,
      /** Whether an open tab plays a sound for it. */
      sound: t.Boolean(),
    }),
  ),
  pausedUntil: orNull(time),
})

export const bell = t.Object({ push: t.Boolean(), email: t.Boolean() }, strict)

/** What isn't given stays as it is. */
export const bellChange = t.Object({ push: t.Optional(t.Boolean()), email: t.Optional(t.Boolean()) }, strict)

import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { BOT_RECEIVING } from '../../../database/tables/bots.ts'
import { oneOf, orNull } from '../../../requests/schemas.ts'
import { BOT_HEALTH_STATES } from './bot-health.ts'

const time = t.String({ format: 'date-time' })
const strict = { additionalProperties: false }

// Only limits. The verbs check the values and report all faults at once.
const fields = {
  name: t.String({ maxLength: 1_000 }),
  token: t.String({ maxLength: 1_000 }),
  receives: oneOf(BOT_RECEIVING),
  greeting: t.String({ maxLength: 20_000 }),
  // Elysia's own type also accepts digits as text, which an error message couldn't explain.
  newTicketAfterDays: orNull(Type.Integer()),
  showsTyping: t.Boolean(),
  defaultAssignee: orNull(t.String({ maxLength: 64 })),
}
const { token, ...others } = fields

export const newBot = t.Object({ token, ...t.Partial(t.Object(others)).properties }, strict)
export const botChange = t.Partial(t.Object(fields), strict)

const state = oneOf(BOT_HEALTH_STATES)

export const botSchema = t.Object({
  id: t.String(),
  name: t.String(),
  username: t.String(),
  url: t.String(),
  state,
  detail: t.String(),
  receives: oneOf(BOT_RECEIVING),
  greeting: t.String(),
  newTicketAfterDays: orNull(t.Integer()),
  showsTyping: t.Boolean(),
  defaultAssignee: orNull(t.String()),
  lastUpdateAt: orNull(time),
  lastSentAt: orNull(time),
  lastCheckedAt: orNull(time),
  receiveError: orNull(t.String()),
  sendError: orNull(t.String()),
  receiveFailingSince: orNull(time),
  sendFailingSince: orNull(time),
  foreignWebhook: orNull(t.String()),
  missedSince: orNull(time),
  queue: t.Object({ incoming: t.Integer(), outgoing: t.Integer() }),
  unknownUpdates: t.Integer(),
  createdAt: time,
  updatedAt: time,
})

export const botProblemList = t.Object({
  data: t.Array(
    t.Object({
      id: t.String(),
      name: t.String(),
      username: t.String(),
      state,
      since: time,
      detail: t.String(),
    }),
  ),
})

import { t } from 'elysia'
import { oneOf } from '../requests/choices.ts'
import { FIRST_STEPS, STEP_STATES } from './checklist.ts'

// What pages see of the organization: `views.ts` makes it.

// The verb says what is wrong with a value.
const settings = {
  name: t.String(),
  reopens: t.Boolean(),
  assignOnReply: t.Boolean(),
  publicName: t.String(),
  website: t.String(),
  signature: t.String(),
}

export const organization = t.Object({
  id: t.String(),
  ...settings,
  createdAt: t.String({ format: 'date-time' }),
})
export const organizationChange = t.Partial(t.Object(settings, { additionalProperties: false }))
export const checklist = t.Object({
  data: t.Array(t.Object({ id: oneOf(FIRST_STEPS), state: oneOf(STEP_STATES) })),
})

import { t } from 'elysia'
import { oneOf } from '../requests/choices.ts'
import { FIRST_STEPS, STEP_STATES } from './checklist.ts'

// The values are validated in settings.ts.
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

import { t } from 'elysia'
import {
  QUESTION_MODES,
  WIDGET_LANGUAGES,
  WIDGET_POSITIONS,
  WIDGET_THEMES,
} from '../../../database/tables/widgets.ts'
import { oneOf, orNull } from '../../../requests/schemas.ts'
import { SHOWN_STATES } from './views.ts'

const time = t.String({ format: 'date-time' })
const strict = { additionalProperties: false }

// Only limits. The verbs check the values and report all faults at once.
const line = t.String({ maxLength: 1_000 })
const paragraph = t.String({ maxLength: 10_000 })

const appearance = t.Object(
  {
    title: line,
    greeting: paragraph,
    color: line,
    position: oneOf(WIDGET_POSITIONS),
    theme: oneOf(WIDGET_THEMES),
    language: oneOf(WIDGET_LANGUAGES),
    sound: t.Boolean(),
  },
  strict,
)
const questions = t.Object(
  {
    name: oneOf(QUESTION_MODES),
    email: oneOf(QUESTION_MODES),
    fields: t.Array(t.Object({ key: line, label: line, isRequired: t.Boolean() }, strict), {
      maxItems: 1_000,
    }),
  },
  strict,
)
const hours = t.Object(
  {
    timeZone: line,
    days: t.Array(orNull(t.Object({ from: line, to: line }, strict)), { maxItems: 100 }),
    awayText: paragraph,
  },
  strict,
)

const fields = {
  name: line,
  origins: t.Array(line, { maxItems: 1_000 }),
  appearance: t.Partial(appearance, strict),
  questions: t.Partial(questions, strict),
  hours: orNull(hours),
  verifiedOnly: t.Boolean(),
  telegramBotId: line,
}
const { name: _name, origins: _origins, ...others } = fields

export const newWidget = t.Object(
  { name: line, origins: fields.origins, ...t.Partial(t.Object(others)).properties },
  strict,
)
export const widgetChange = t.Partial(t.Object(fields), strict)

const seen = orNull(t.Object({ url: t.String(), at: time }))

export const widgetSchema = t.Object({
  id: t.String(),
  name: t.String(),
  state: oneOf(SHOWN_STATES),
  detail: t.String(),
  key: t.String(),
  snippet: t.String(),
  origins: t.Array(t.String()),
  appearance,
  questions,
  hours: orNull(hours),
  verifiedOnly: t.Boolean(),
  telegramBotId: t.String(),
  previousSecretUntil: orNull(time),
  seen,
  refused: seen,
  createdAt: time,
  updatedAt: time,
})
/** `identitySecret` is returned only here. */
export const widgetWithSecret = t.Object({ widget: widgetSchema, identitySecret: t.String() })

export const identityInput = t.Object(
  {
    jwt: t.Optional(t.String({ maxLength: 100_000 })),
    userId: t.Optional(line),
    userHash: t.Optional(line),
  },
  strict,
)
export const identityCheck = t.Object({
  isValid: t.Boolean(),
  detail: t.String(),
  user: orNull(t.Object({ id: t.String(), name: t.String(), email: t.String() })),
})

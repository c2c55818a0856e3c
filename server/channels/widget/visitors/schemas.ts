import { t } from 'elysia'
import {
  QUESTION_MODES,
  WIDGET_LANGUAGES,
  WIDGET_POSITIONS,
  WIDGET_THEMES,
} from '../../../database/tables/widgets.ts'
import { oneOf, orNull } from '../../../requests/schemas.ts'
import { text } from '../../../text/text.ts'

const MAX_FIELDS = 20
const MAX_ANSWER_LENGTH = 2_000
const strict = { additionalProperties: false }

export const settings = t.Object({
  title: t.String(),
  greeting: t.String(),
  color: t.String(),
  position: oneOf(WIDGET_POSITIONS),
  theme: oneOf(WIDGET_THEMES),
  language: oneOf(WIDGET_LANGUAGES),
  sound: t.Boolean(),
  questions: t.Object({
    name: oneOf(QUESTION_MODES),
    email: oneOf(QUESTION_MODES),
    fields: t.Array(t.Object({ key: t.String(), label: t.String(), isRequired: t.Boolean() })),
  }),
  verifiedOnly: t.Boolean(),
  telegram: t.Boolean(),
  isOpen: t.Boolean(),
  awayText: t.String(),
  opensAt: orNull(t.String()),
  maxFileBytes: t.Integer(),
  maxTextLength: t.Integer(),
})

const page = t.Object({ url: t.String({ maxLength: 2_000 }), title: t.String({ maxLength: 500 }) }, strict)
const name = text({ minLength: 0, maxLength: 255 })
const email = t.String({ maxLength: 254, pattern: '^(?:\\s*|\\s*[^\\s@<>]+@[^\\s@<>]+\\s*)$' })

/** What visitors say about themselves, in several requests. */
export const typedData = {
  name: t.Optional(name),
  email: t.Optional(email),
  fields: t.Optional(
    t.Unsafe<Record<string, string>>(
      t.Record(t.String(), t.String({ maxLength: MAX_ANSWER_LENGTH }), { maxProperties: MAX_FIELDS }),
    ),
  ),
  page: t.Optional(page),
}

export const newSession = t.Object(
  {
    jwt: t.Optional(t.String({ maxLength: 16_384 })),
    userId: t.Optional(t.String({ maxLength: 1_000 })),
    userHash: t.Optional(t.String({ maxLength: 200 })),
    name: t.Optional(name),
    email: t.Optional(email),
    page: t.Optional(page),
    language: t.Optional(t.String({ maxLength: 35 })),
    timeZone: t.Optional(t.String({ maxLength: 64 })),
  },
  strict,
)
export const visitorChange = t.Object(typedData, strict)

const visitor = t.Object({
  id: t.String(),
  isVerified: t.Boolean(),
  name: t.String(),
  email: t.String(),
})
export const changedVisitor = t.Object({ visitor })
export const openedSession = t.Object({ token: t.String(), visitor })
export const continuedSession = t.Object({ visitor })

import { t } from 'elysia'
import { KEY_KINDS, KEY_SCOPES } from '../database/tables/api-keys.ts'
import { oneOf, orNull } from '../requests/choices.ts'

const time = t.String({ format: 'date-time' })
const scopes = t.Array(oneOf(KEY_SCOPES), { maxItems: 10 })

// The verb validates the name, the limit and the time.
export const newKey = t.Object(
  {
    name: t.String({ maxLength: 1_000 }),
    kind: t.Optional(oneOf(KEY_KINDS)),
    scopes: t.Optional(scopes),
    rateLimit: t.Optional(t.Number()),
    expiresAt: t.Optional(time),
  },
  { additionalProperties: false },
)

export const key = t.Object({
  id: t.String(),
  kind: oneOf(KEY_KINDS),
  name: t.String(),
  /** The first characters of the key, to recognize it by. */
  prefix: t.String(),
  /** Null: full access. */
  scopes: orNull(scopes),
  rateLimit: orNull(t.Integer()),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
  publicKey: t.Optional(t.String()),
})
export const keyList = t.Object({ data: t.Array(key) })
/** `secret` is the whole key, returned only here. */
export const createdKey = t.Object({ key, secret: t.String() })

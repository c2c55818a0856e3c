import { t } from 'elysia'
import { KEY_SCOPES } from '../database/tables/api-keys.ts'
import { oneOf, orNull } from '../requests/schemas.ts'

const time = t.String({ format: 'date-time' })
const strict = { additionalProperties: false }
const scope = oneOf(KEY_SCOPES)
const scopes = t.Array(scope, { maxItems: KEY_SCOPES.length })
/** Of the page's address, as the program wrote it. */
const query = t.String({ maxLength: 8_192 })

export const authorizationQuery = t.Object({ query }, strict)

/** What the agent is asked, or what is wrong with the request and where to go back to. */
export const authorizationRequest = t.Object({
  client: t.Object({
    name: t.String(),
    /** Where the program describes itself; null if no one vouches for its name. */
    host: orNull(t.String()),
  }),
  /** Where the agent goes back to; null for their own machine. */
  redirectHost: orNull(t.String()),
  scopes: t.Array(t.Object({ scope, isByDefault: t.Boolean() })),
  refusal: t.Optional(t.Object({ detail: t.String(), returnTo: t.String() })),
})

/** Without scopes it is denied. */
export const consent = t.Object({ query, scopes: t.Optional(scopes) }, strict)
export const consented = t.Object({ returnTo: t.String() })

export const connectedPrograms = t.Object({
  data: t.Array(
    t.Object({
      id: t.String(),
      name: t.String(),
      host: t.String(),
      scopes,
      agent: t.Object({ id: t.String(), name: t.String() }),
      createdAt: time,
      lastUsedAt: orNull(time),
    }),
  ),
})

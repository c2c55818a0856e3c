import { t } from 'elysia'
import { AGENT_ROLES } from '../database/tables/agents.ts'
import { LINK_PURPOSES } from '../database/tables/sessions.ts'
import { oneOf } from '../requests/schemas.ts'

const time = t.String({ format: 'date-time' })
const strict = { additionalProperties: false }

// The verbs validate names, emails and passwords.
const name = t.String({ maxLength: 1_000 })
const email = t.String({ maxLength: 1_000 })
const password = t.String({ maxLength: 4_000 })
const token = t.String({ maxLength: 200 })

export const session = t.Object({
  agent: t.Object({
    id: t.String(),
    name: t.String(),
    email: t.String(),
    role: oneOf(AGENT_ROLES),
    sendsByEnter: t.Boolean(),
  }),
  organization: t.Object({ id: t.String(), name: t.String() }),
  session: t.Object({ id: t.String(), expiresAt: time }),
  limits: t.Object({ attachmentBytes: t.Integer(), attachmentsPerMessage: t.Integer() }),
})

export const signIn = t.Object({ email, password, orgId: t.Optional(t.String({ maxLength: 64 })) }, strict)
/** The password is right in several organizations, so the page asks which one. */
export const organizationChoice = t.Object({
  organizations: t.Array(t.Object({ id: t.String(), name: t.String() })),
})

export const firstRunState = t.Object({ isOpen: t.Boolean() })
export const firstRun = t.Object({ token, organization: name, name, email, password }, strict)

export const link = t.Object({ token }, strict)
export const linkFacts = t.Object({
  purpose: oneOf(LINK_PURPOSES),
  organization: t.Object({ name: t.String() }),
  agent: t.Object({ name: t.String(), email: t.String() }),
})
export const acceptedLink = t.Object({ token, password, name: t.Optional(name) }, strict)

export const sessionList = t.Object({
  data: t.Array(
    t.Object({
      id: t.String(),
      device: t.String(),
      address: t.String(),
      createdAt: time,
      lastSeenAt: time,
      isCurrent: t.Boolean(),
    }),
  ),
})
export const endedSessions = t.Object({ ended: t.Integer() })
export const passwordChange = t.Object({ current: password, password }, strict)
export const ownSignature = t.Object({ signature: t.String({ maxLength: 20_000 }) }, strict)
export const savedSignature = t.Object({ signature: t.String() })
export const selfChange = t.Object({ name: t.Optional(name), sendsByEnter: t.Optional(t.Boolean()) }, strict)

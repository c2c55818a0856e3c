import { Elysia, t } from 'elysia'
import { isoTime } from '../dates.ts'
import { MAX_UNDO_SECONDS } from '../messages/sends/undo-seconds.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { metadataKey } from '../requests/metadata.ts'
import { strictQuery } from '../requests/query.ts'
import { oneOf } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { FIRST_STEPS, readChecklist, STEP_STATES } from './checklist.ts'
import { changeSettings, readSettings, type Settings } from './settings.ts'

/** Of metadata, beside a conversation. */
const MAX_SHOWN_KEYS = 20
const undoSeconds = t.Integer({ minimum: 0, maximum: MAX_UNDO_SECONDS })
// The other values are validated in settings.ts.
const settings = {
  name: t.String(),
  reopens: t.Boolean(),
  assignOnReply: t.Boolean(),
  publicName: t.String(),
  website: t.String(),
  emailsApiTickets: t.Boolean(),
  undoEmailSeconds: undoSeconds,
  undoApiSeconds: undoSeconds,
  undoWidgetSeconds: undoSeconds,
  undoTelegramSeconds: undoSeconds,
  signature: t.String(),
  shownMetadata: t.Array(metadataKey, { maxItems: MAX_SHOWN_KEYS }),
}

const organizationSchema = t.Object({
  id: t.String(),
  ...settings,
  createdAt: t.String({ format: 'date-time' }),
})
const organizationChange = t.Partial(t.Object(settings, { additionalProperties: false }))
const checklist = t.Object({
  data: t.Array(t.Object({ id: oneOf(FIRST_STEPS), state: oneOf(STEP_STATES) })),
})

/** Routes for the organization's settings: every agent can read them, only administrators can change them. */
export function organizationRoutes(guard: AgentGuard) {
  const noQuery = strictQuery()

  return new Elysia({ name: 'organizations/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/organization', async ({ me, as }) => viewOrganization(await readSettings(as, me.orgId)), {
      transform: noQuery,
      response: { 200: organizationSchema },
    })
    .patch(
      '/organization',
      async ({ me, as, body }) => viewOrganization(await changeSettings(as, me.orgId, body)),
      {
        parse: arrive,
        transform: [guard.adminsOnly, noQuery, jsonBody],
        body: organizationChange,
        response: { 200: organizationSchema },
      },
    )
    .get('/checklist', async ({ me, as }) => ({ data: await readChecklist(as, me.orgId) }), {
      transform: [guard.adminsOnly, noQuery],
      response: { 200: checklist },
    })
}

function viewOrganization({ createdAt, shownMetadata, ...settings }: Settings) {
  return { ...settings, shownMetadata: shownMetadata ?? [], createdAt: isoTime(createdAt) }
}

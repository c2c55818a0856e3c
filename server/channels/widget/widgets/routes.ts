import { Elysia, t } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { invalid } from '../../../errors.ts'
import { baseUrl } from '../../../requests/headers.ts'
import { arrive, jsonBody } from '../../../requests/json-body.ts'
import { strictQuery } from '../../../requests/query.ts'
import { byId } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { type IdentityInput, verifyIdentity } from '../identity.ts'
import * as schemas from './schemas.ts'
import { viewIdentityCheck, viewWidget } from './views.ts'
import {
  pauseWidget,
  removeWidget,
  resumeWidget,
  rotateIdentitySecret,
  rotateWidgetKey,
} from './widget-state.ts'
import { createWidget, type KeyedWidget, listWidgets, readWidget, updateWidget } from './widgets.ts'

/** Website widgets, for administrators. */
export function widgetRoutes(deps: Deps, guard: AgentGuard) {
  const transform = [guard.adminsOnly, strictQuery()]
  const withBody = { parse: arrive, transform: [...transform, jsonBody] }
  const one = { transform, params: byId, response: { 200: schemas.widgetSchema } }
  const shown = (request: Request, widget: KeyedWidget) =>
    viewWidget(widget, baseUrl(request, deps.config.publicUrl))

  return new Elysia({ name: 'widgets/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/widgets',
      async ({ me, as, request }) => ({
        data: (await listWidgets(as, me.orgId)).map((widget) => shown(request, widget)),
      }),
      { transform, response: { 200: schemas.widgetList } },
    )
    .post(
      '/widgets',
      async ({ me, as, body, request, status }) => {
        const { widget, identitySecret } = await createWidget(as, me.orgId, body)
        return status(201, { widget: shown(request, widget), identitySecret })
      },
      { ...withBody, body: schemas.newWidget, response: { 201: schemas.widgetWithSecret } },
    )
    .get(
      '/widgets/:id',
      async ({ me, as, params, request }) => shown(request, await readWidget(as, me.orgId, params.id)),
      one,
    )
    .patch(
      '/widgets/:id',
      async ({ me, as, params: { id }, body, request }) =>
        shown(request, await updateWidget(as, me.orgId, { id, change: body })),
      {
        ...withBody,
        params: byId,
        body: schemas.widgetChange,
        response: { 200: schemas.widgetSchema },
      },
    )
    .delete(
      '/widgets/:id',
      async ({ me, as, params, status }) => {
        await removeWidget(as, me.orgId, params.id)
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
    .post(
      '/widgets/:id/pause',
      async ({ me, as, params, request }) => shown(request, await pauseWidget(as, me.orgId, params.id)),
      one,
    )
    .post(
      '/widgets/:id/resume',
      async ({ me, as, params, request }) => shown(request, await resumeWidget(as, me.orgId, params.id)),
      one,
    )
    .post(
      '/widgets/:id/key',
      async ({ me, as, params, request }) => shown(request, await rotateWidgetKey(as, me.orgId, params.id)),
      one,
    )
    .post(
      '/widgets/:id/identity-secret',
      async ({ me, as, params, request }) => {
        const { widget, identitySecret } = await rotateIdentitySecret(as, me.orgId, params.id)
        return { widget: shown(request, widget), identitySecret }
      },
      { transform, params: byId, response: { 200: schemas.widgetWithSecret } },
    )
    .post(
      '/widgets/:id/check-identity',
      async ({ me, as, params, body }) => {
        const widget = await readWidget(as, me.orgId, params.id)
        return viewIdentityCheck(await verifyIdentity(as, widget, requireIdentity(body)))
      },
      {
        ...withBody,
        params: byId,
        body: schemas.identityInput,
        response: { 200: schemas.identityCheck },
      },
    )
}

function requireIdentity({
  jwt,
  userId,
  userHash,
}: {
  jwt?: string
  userId?: string
  userHash?: string
}): IdentityInput {
  if (jwt !== undefined) return { jwt }
  if (userId !== undefined && userHash !== undefined) return { userId, userHash }
  throw invalid([{ pointer: '/jwt', code: 'required', detail: 'Enter a token, or a user id and its hash.' }])
}

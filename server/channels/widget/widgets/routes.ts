import { Elysia } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { invalid } from '../../../errors.ts'
import { baseUrl } from '../../../requests/headers.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { accountHandlers, accountHooks } from '../../accounts/routes.ts'
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
  const { all, one, gone, withBody } = accountHooks(guard, schemas.widgetSchema)
  const view = ({ request }: { request: Request }, widget: KeyedWidget) =>
    viewWidget(widget, baseUrl(request, deps.config.publicUrl))
  const widgets = accountHandlers({
    list: listWidgets,
    viewAll: async (request, rows) => rows.map((widget) => view(request, widget)),
  })
  const afterState = (verb: typeof pauseWidget) =>
    widgets.after(async (as, orgId, id) => {
      await verb(as, orgId, id)
      return readWidget(as, orgId, id)
    })

  return new Elysia({ name: 'widgets/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/widgets', widgets.list, all)
    .post(
      '/widgets',
      async ({ me, as, body, request, status }) => {
        const { widget, identitySecret } = await createWidget(as, me.orgId, body)
        return status(201, { widget: view({ request }, widget), identitySecret })
      },
      { ...withBody, body: schemas.newWidget, response: { 201: schemas.widgetWithSecret } },
    )
    .get('/widgets/:id', widgets.after(readWidget), one)
    .patch(
      '/widgets/:id',
      async ({ me, as, params: { id }, body, request }) =>
        view({ request }, await updateWidget(as, me.orgId, { id, change: body })),
      { ...one, ...withBody, body: schemas.widgetChange },
    )
    .delete('/widgets/:id', widgets.remove(removeWidget), gone)
    .post('/widgets/:id/pause', afterState(pauseWidget), one)
    .post('/widgets/:id/resume', afterState(resumeWidget), one)
    .post('/widgets/:id/key', widgets.after(rotateWidgetKey), one)
    .post(
      '/widgets/:id/identity-secret',
      async ({ me, as, params, request }) => {
        const { widget, identitySecret } = await rotateIdentitySecret(as, me.orgId, params.id)
        return { widget: view({ request }, widget), identitySecret }
      },
      { ...one, response: { 200: schemas.widgetWithSecret } },
    )
    .post(
      '/widgets/:id/check-identity',
      async ({ me, as, params, body }) => {
        const widget = await readWidget(as, me.orgId, params.id)
        return viewIdentityCheck(await verifyIdentity(as, widget, requireIdentity(body)))
      },
      { ...one, ...withBody, body: schemas.identityInput, response: { 200: schemas.identityCheck } },
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

import { Elysia, t } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { invalid } from '../../../errors.ts'
import { arrive, jsonBody } from '../../../requests/json-body.ts'
import { strictQuery } from '../../../requests/query.ts'
import { takeHeaders } from '../../../responses/finished-response.ts'
import { keptTextResponse } from '../../../responses/kept-texts.ts'
import { deviceName } from '../../../sessions/device.ts'
import { oneLine } from '../../../text/text.ts'
import type { IdentityInput } from '../identity.ts'
import { changeVisitor } from './change-visitor.ts'
import { endSession, openSession } from './open-session.ts'
import type { VisitorGuard, WidgetRequest } from './require-visitor.ts'
import {
  changedVisitor,
  continuedSession,
  newSession,
  openedSession,
  settings,
  visitorChange,
} from './schemas.ts'
import { viewSettings, viewVisitor } from './views.ts'

const hide = { detail: { hide: true } }

/** What a page of a website needs to show the widget, and who its visitor is. */
export function visitorRoutes(deps: Deps, guard: VisitorGuard) {
  const noQuery = strictQuery()
  const withBody = { parse: arrive, transform: [noQuery, jsonBody] }
  const ofWidget = new Elysia({ name: 'widget/sessions', prefix: '/widget/:key' })
    .use(guard.requireWidget)
    .get(
      '/settings',
      ({ widget, request, set }) => {
        guard.sightings.seen(widget, request.headers.get('referer') ?? request.headers.get('origin') ?? '')
        const headers = {
          ...takeHeaders(set),
          'content-type': 'application/json',
          'cache-control': 'max-age=60',
        }
        return keptTextResponse(request, JSON.stringify(viewSettings(widget, deps)), { headers })
      },
      { transform: noQuery, response: { 200: settings, 304: t.Undefined() }, ...hide },
    )
    .post(
      '/session',
      async ({ widget, address, body, request, status }) => {
        const { name = '', email = '', page, language = '', timeZone = '' } = body
        const current = await guard.visitorOf(request, widget)
        const { visitor, token } = await openSession(deps, widget, {
          identity: identityIn(body),
          name: oneLine(name),
          email: email.trim(),
          page,
          language,
          timeZone,
          browser: deviceName(request.headers.get('user-agent') ?? ''),
          address,
          current,
          onNew: () => guard.limits.session({ address, widgetId: widget.id }),
        })
        if (token === undefined && current) guard.lastSeen.record(current, { address, page })
        const view = viewVisitor(visitor)
        return token === undefined ? status(200, { visitor: view }) : status(201, { token, visitor: view })
      },
      {
        ...withBody,
        transform: [
          noQuery,
          ({ address }: WidgetRequest) => guard.limits.request({ visitorId: undefined, address }),
          jsonBody,
        ],
        body: newSession,
        response: { 200: continuedSession, 201: openedSession },
        ...hide,
      },
    )
  const ofVisitor = new Elysia({ name: 'widget/visitors', prefix: '/widget/:key' })
    .use(guard.requireVisitor)
    .delete(
      '/session',
      async ({ visitor, status }) => {
        await endSession(deps, visitor)
        return status(204, undefined)
      },
      { transform: noQuery, response: { 204: t.Undefined() }, ...hide },
    )
    .patch(
      '/visitor',
      async ({ widget, visitor, address, body: { page, ...typed } }) => {
        const isTyped = Object.keys(typed).length > 0
        guard.lastSeen.record(visitor, { address, page, isChanged: isTyped })
        const me = { widget, me: visitor }
        return { visitor: viewVisitor(isTyped ? await changeVisitor(deps, me, typed) : visitor) }
      },
      { ...withBody, body: visitorChange, response: { 200: changedVisitor }, ...hide },
    )
  return new Elysia({ name: 'widget/visitor' }).use(ofWidget).use(ofVisitor)
}

/** Preflights of all routes. They come after those in the list, because the metrics name a request by its first match. */
export function preflightRoutes(guard: VisitorGuard) {
  return new Elysia({ name: 'widget/preflights' }).options(
    '/widget/:key/*',
    ({ request, set, status }) => {
      guard.preflight(request, set)
      return status(204, undefined)
    },
    { ...hide },
  )
}

/** Throws 400 for one without the other. */
function identityIn({
  jwt,
  userId,
  userHash,
}: {
  jwt?: string
  userId?: string
  userHash?: string
}): IdentityInput | undefined {
  if (jwt !== undefined) return { jwt }
  if (userId !== undefined && userHash !== undefined) return { userId, userHash }
  if (userId === undefined && userHash === undefined) return undefined
  const pointer = userHash === undefined ? '/userHash' : '/userId'
  throw invalid([{ pointer, code: 'required', detail: 'Send userId and userHash together, or a jwt.' }])
}

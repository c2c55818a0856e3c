import { Elysia } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { Live } from '../../../live/live.ts'
import { createAddressReader, type Server } from '../../../requests/address.ts'
import { isOurOrigin } from '../../../requests/headers.ts'
import { isOriginAllowed } from '../origins.ts'
import { findWidgetByKey, type Widget } from '../widgets/find-widget.ts'
import { createLastSeen } from './last-seen.ts'
import { createUploadLimits } from './upload-limits.ts'
import { createVisitorLimits } from './visitor-limits.ts'
import {
  findVisitorByToken,
  forgetCachedVisitors,
  invalidVisitor,
  isAddressBlocked,
  isBlocked,
  type SignedInVisitor,
  visitorBlocked,
} from './visitors.ts'
import { createWidgetSightings } from './widget-sightings.ts'

/** Seconds that a browser keeps the answer to a preflight: the longest that Chromium does. */
const PREFLIGHT_SECONDS = 7_200
const SWEEP_EVERY_MS = 60_000

/** A request of a website's page to its widget. */
export type WidgetRequest = {
  widget: Widget
  /** The IP address of the visitor. */
  address: string
}
export type VisitorRequest = WidgetRequest & { visitor: SignedInVisitor }

interface Arrived {
  request: Request
  server: Server | null
  params: Record<string, string | undefined>
  set: { headers: Record<string, unknown> }
}

/**
 * Resolves the public key in the path to a widget, checks the website, and resolves the token to a visitor: 404, 400, or
 * 403 for the key, 403 for the website, 401, 403, 429. Pages of every website can read these refusals, so that the widget
 * can say what is wrong; no route takes cookies.
 */
export function createVisitorGuard(deps: Deps, live: Pick<Live, 'showVisitors'>) {
  const addressOf = createAddressReader(deps.config.trustProxy)
  const limits = createVisitorLimits(deps)
  const uploads = createUploadLimits(deps)
  const lastSeen = createLastSeen(deps, live.showVisitors)
  const sightings = createWidgetSightings(deps)
  let cancelSweep = deps.clock.after(SWEEP_EVERY_MS, sweep)

  function sweep(): void {
    uploads.sweep()
    forgetCachedVisitors(deps)
    cancelSweep = deps.clock.after(SWEEP_EVERY_MS, sweep)
  }

  async function openWidget({ request, server, params, set }: Arrived): Promise<WidgetRequest> {
    allowReading(request, set)
    const widget = await requireWidget(deps, params.key ?? '')
    const origin = request.headers.get('origin')
    if (origin !== null && !isAllowed(widget, request, origin)) {
      sightings.refused(widget, origin)
      const detail = `The widget isn't allowed on ${origin.slice(0, 200)}. Add this website in the settings of the widget.`
      throw new AppError(403, 'origin_not_allowed', detail)
    }
    return { widget, address: addressOf(request, server) }
  }

  function isAllowed({ origins }: Widget, { headers }: Request, origin: string): boolean {
    return isOriginAllowed(origins, origin) || isOurOrigin(headers, deps.config.publicUrl)
  }

  /** The visitor of the token, if it is one of this widget. */
  async function visitorOf(request: Request, widget: Widget): Promise<SignedInVisitor | undefined> {
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    const visitor = token === undefined ? undefined : await findVisitorByToken(deps, token)
    return visitor?.widgetId === widget.id && visitor.orgId === widget.orgId ? visitor : undefined
  }

  async function requireVisitor(arrived: Arrived): Promise<VisitorRequest> {
    const { widget, address } = await openWidget(arrived)
    const visitor = await visitorOf(arrived.request, widget)
    if (!visitor) {
      limits.request({ visitorId: undefined, address })
      throw invalidVisitor()
    }
    if (await isBlocked(deps, visitor, address)) throw visitorBlocked()
    limits.request({ visitorId: visitor.id, address })
    lastSeen.record(visitor, { address })
    return { widget, address, visitor }
  }

  return {
    limits,
    uploads,
    lastSeen,
    sightings,
    visitorOf,
    /**
     * Elysia plugin that gives later routes `widget` and `address`. It names what it uses of the context: for a hook that
     * passes the whole context on, Elysia parses cookies, headers, and the query of every request to any route.
     */
    requireWidget: new Elysia({ name: 'require-widget' }).derive(
      { as: 'scoped' },
      async ({ request, server, params, set }) => {
        const opened = await openWidget({ request, server, params, set })
        if (await isAddressBlocked(deps, opened.widget.orgId, opened.address)) throw visitorBlocked()
        return opened
      },
    ),
    /** The same with `visitor`. */
    requireVisitor: new Elysia({ name: 'require-visitor' }).derive(
      { as: 'scoped' },
      ({ request, server, params, set }) => requireVisitor({ request, server, params, set }),
    ),
    /** The answer to a preflight. The request after it is refused if it isn't allowed, in words that the page can read. */
    preflight(request: Request, set: Arrived['set']): void {
      allowReading(request, set)
      set.headers['access-control-allow-methods'] = 'GET, POST, PUT, PATCH, DELETE'
      set.headers['access-control-allow-headers'] = 'authorization, content-type'
      set.headers['access-control-max-age'] = String(PREFLIGHT_SECONDS)
    },
    async stop(): Promise<void> {
      cancelSweep()
      await lastSeen.stop()
    },
  }
}

export type VisitorGuard = ReturnType<typeof createVisitorGuard>

function allowReading({ headers }: Request, set: Arrived['set']): void {
  set.headers.vary = 'Origin'
  const origin = headers.get('origin')
  if (origin === null) return
  set.headers['access-control-allow-origin'] = origin
  set.headers['access-control-expose-headers'] = 'retry-after, x-request-id'
}

async function requireWidget(deps: Deps, key: string): Promise<Widget> {
  const found = await findWidgetByKey(deps, key)
  switch (found.state) {
    case 'active':
      return found.widget
    case 'unknown':
      throw new AppError(404, 'unknown_widget', 'There is no widget with this key. Copy the snippet again.')
    case 'secret':
      throw new AppError(
        400,
        'secret_key',
        'This is a secret key. Use the public key of the widget, and revoke the secret key: it was exposed.',
      )
    case 'revoked':
    case 'paused':
    case 'removed':
      throw new AppError(403, 'widget_disabled', 'This widget is turned off.')
  }
}

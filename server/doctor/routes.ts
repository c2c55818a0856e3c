import { Elysia, t } from 'elysia'
import { isoTime } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { strictQuery } from '../requests/query.ts'
import { oneOf } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { CHECKS, FINDING_STATES } from './finding.ts'

/** A browser's connection is closed after 30 seconds without a byte. */
const MAX_DATABASE_MS = 20_000

const finding = t.Object({
  check: oneOf(CHECKS),
  state: oneOf(FINDING_STATES),
  detail: t.String(),
  advice: t.String(),
})
const report = t.Object({
  state: oneOf(FINDING_STATES),
  detail: t.String(),
  checkedAt: t.String({ format: 'date-time' }),
  findings: t.Array(finding),
})

type Checked = typeof report.static

interface Known {
  /** The address of a proxy that isn't trusted, once one was seen. */
  untrustedProxy(): string | undefined
  /** The entity tag of the script of the website widget. */
  widgetTag(): string | undefined
}

/**
 * The findings of `bellhop doctor` for administrators: about the installation, and about their own organization's
 * channels and endpoints.
 */
export function doctorRoutes(deps: Deps, guard: AgentGuard, known: Known) {
  /** One at a time for each organization: several pages share it. */
  const running = new Map<string, Promise<Checked>>()

  async function check(orgId: string): Promise<Checked> {
    // Loaded when first used, so that the server starts faster.
    const { examine } = await import('./examine.ts')
    const now = deps.clock.now()
    const found = await examine({
      config: deps.config,
      now,
      isServing: true,
      data: { deps, orgIds: [orgId] },
      untrustedProxy: known.untrustedProxy(),
      widgetTag: known.widgetTag(),
      limits: { database: MAX_DATABASE_MS },
    })
    return { ...found, checkedAt: isoTime(now) }
  }

  return new Elysia({ name: 'doctor/console', prefix: '/console' }).use(guard.requireAgent).get(
    '/doctor',
    ({ me }) => {
      const { orgId } = me
      const shared = running.get(orgId) ?? check(orgId).finally(() => running.delete(orgId))
      running.set(orgId, shared)
      return shared
    },
    { transform: [guard.adminsOnly, strictQuery()], response: { 200: report } },
  )
}

import type { SQL } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { actingAs, type Deps } from '../../deps.ts'
import { recordWorkspaceChange } from '../../events/events.ts'
import { startPeriodic } from '../../jobs/pruning.ts'
import type { Loop } from '../../loop.ts'
import type { AccountRow, Accounts } from './accounts.ts'

/** How long a mailbox or bot may fail before every administrator sees a banner. */
const MAX_FAILING_MS = 600_000
const CHECK_EVERY_MS = 15_000

/** The columns about the health of a mailbox or bot. */
interface HealthColumns {
  receiveFailingSince: number | null
  sendFailingSince: number | null
  lastCheckedAt: number | null
}

/** The columns of a mailbox or bot without failures. */
export const HEALTHY = {
  receiveError: '',
  sendError: '',
  receiveFailingSince: null,
  sendFailingSince: null,
  alertedAt: null,
} as const

/** Since when receiving or sending fails; null while both work. */
export function failingSince(account: Omit<HealthColumns, 'lastCheckedAt'>): number | null {
  const times = [account.receiveFailingSince, account.sendFailingSince].filter((time) => time !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/**
 * The state of a mailbox or bot in one word. `connecting`: the other side was not reached yet. `failing`: the newest
 * attempt to receive or send failed, and Bellhop tries again.
 */
export function healthOf<State extends string>(
  account: HealthColumns & { state: State },
): State | 'failing' | 'connecting' {
  if (account.state !== 'active') return account.state
  if (failingSince(account) !== null) return 'failing'
  return account.lastCheckedAt === null ? 'connecting' : account.state
}

export function hasFailedLong(account: HealthColumns, now: number): boolean {
  return now - (failingSince(account) ?? now) >= MAX_FAILING_MS
}

interface HealthChange<Row> {
  /** Whether pages show the difference. */
  isVisible: boolean
  /** The other side refuses the sign-in, which the audit log gets. */
  isRefused?: boolean
  /** Undefined for a row that must stay. */
  changeOf: (before: Row) => Partial<Row> | undefined
}

/** Stores what an attempt says about an account. */
export async function recordHealth<Row extends AccountRow>(
  deps: Deps,
  { noun, lock, save, change }: Accounts<Row, 'mailbox' | 'bot'>,
  { orgId, id }: Pick<Row, 'orgId' | 'id'>,
  { isVisible, isRefused = false, changeOf }: HealthChange<Row>,
): Promise<void> {
  const saveChange = async (tx: Transaction, before: Row) => {
    const set = changeOf(before)
    return set ? save(tx, before, set) : before
  }
  if (isRefused) {
    const asSystem = actingAs(deps, { kind: 'system', name: 'Bellhop' })
    await change(asSystem, orgId, { id, action: `${noun}.refused` }, saveChange)
    return
  }
  await deps.database.write(orgId, async (tx) => {
    if (isVisible) recordWorkspaceChange(deps, tx, orgId)
    const before = await lock(tx, orgId, id)
    if (before) await saveChange(tx, before)
  })
}

/** Tells open pages to show a banner about each account that has a problem, once for each. */
export function startAccountAlerts<Row extends AccountRow>(
  deps: Deps,
  { noun, listAll, lock, save }: Accounts<Row>,
  of: {
    /** Those that no banner mentions yet. */
    isQuiet: SQL | undefined
    isProblem: (row: Row, now: number) => boolean
    alerted: (alertedAt: number) => Partial<Row>
  },
): Loop {
  async function alertAdministrators(): Promise<void> {
    const now = deps.clock.now()
    const quiet = await listAll(deps, of.isQuiet)
    for (const { orgId, id } of quiet.filter((row) => of.isProblem(row, now))) {
      await deps.database.write(orgId, async (tx) => {
        recordWorkspaceChange(deps, tx, orgId)
        const before = await lock(tx, orgId, id)
        if (before && of.isProblem(before, now)) await save(tx, before, of.alerted(now))
      })
    }
  }

  return startPeriodic(deps, `${noun}_alerts`, {
    everyMs: CHECK_EVERY_MS,
    slice: async () => {
      await alertAdministrators()
      return false
    },
  })
}

import { Elysia, t } from 'elysia'
import { isoTime } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { strictQuery } from '../requests/query.ts'
import { oneOf } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { describePlace } from './backup-place.ts'
import type { BackupRequests } from './backup-runs.ts'
import { type BackupRun, readBackupStatus } from './backup-runs.ts'

const SHOWN_RUNS = 10
/** `off`: no place for backups is set. `waiting`: the first one isn't made yet. `failing`: administrators see a banner. */
const BACKUP_STATES = ['off', 'waiting', 'working', 'failing'] as const
type BackupState = (typeof BACKUP_STATES)[number]

const time = t.String({ format: 'date-time' })
const run = t.Object({
  startedAt: time,
  endedAt: time,
  name: t.String(),
  bytes: t.Number(),
  error: t.String(),
})
const status = t.Object({
  state: oneOf(BACKUP_STATES),
  place: t.Nullable(t.String()),
  /** Now, or as soon as the one that runs has ended. */
  isRunning: t.Boolean(),
  isEncrypted: t.Boolean(),
  nextAt: t.Nullable(time),
  lastSuccess: t.Nullable(run),
  runs: t.Array(run),
})

/** The state of automatic backups, for administrators. */
export function backupRoutes(deps: Deps, guard: AgentGuard, requests: BackupRequests) {
  return new Elysia({ name: 'backup/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/backups', () => viewStatus(deps, requests), {
      transform: [guard.adminsOnly, strictQuery()],
      response: { 200: status },
    })
    .post(
      '/backups',
      ({ set }) => {
        if (!deps.config.backup)
          throw new AppError(409, 'backups_off', 'Set BELLHOP_BACKUP on the server first.')
        if (!requests.isRunning) requests.ask()
        set.status = 202
        return viewStatus(deps, requests)
      },
      { transform: [guard.adminsOnly, strictQuery()], response: { 202: status } },
    )
}

async function viewStatus(deps: Deps, { isRunning, isAsked }: BackupRequests) {
  const { backup, backupPassphrase } = deps.config
  const { runs, lastSuccess, isFailing, dueAt } = await readBackupStatus(deps)
  return {
    state: stateOf(deps, { isFailing, runs }),
    place: backup ? describePlace(backup) : null,
    isRunning: isRunning || isAsked(),
    isEncrypted: backupPassphrase !== undefined,
    nextAt: backup ? isoTime(dueAt) : null,
    lastSuccess: lastSuccess ? viewRun(lastSuccess) : null,
    runs: runs.slice(0, SHOWN_RUNS).map(viewRun),
  }
}

function stateOf(
  { config }: Deps,
  { isFailing, runs }: { isFailing: boolean; runs: BackupRun[] },
): BackupState {
  if (!config.backup) return 'off'
  if (runs.length === 0) return 'waiting'
  return isFailing ? 'failing' : 'working'
}

function viewRun({ startedAt, endedAt, name, bytes, error }: BackupRun) {
  return { startedAt: isoTime(startedAt), endedAt: isoTime(endedAt), name, bytes, error }
}

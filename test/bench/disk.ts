import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { readConfig } from '../../server/config.ts'
import { openDeps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { startIndexing } from '../../server/search/index/index-tickets.ts'
import { deleteEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { createAnsweredTickets } from './answered-tickets.ts'
import type { Result } from './result.ts'
import { makeWorkspace } from './workspace.ts'

const TICKETS = 5_000
/** What the same tickets took before lists had ranges, organizations short ids, and tickets a row number. */
const BYTES_BEFORE = 2_837
const POLL_MS = 50

/** The size of the database for each ticket, half of them answered, all of them indexed. */
export async function benchDisk(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  const log = createLog('error', false, () => {}, Date.now)
  const empty = statSync(workspace.file).size
  const deps = await openDeps(readConfig({ BELLHOP_DATA: workspace.folder }), { log })
  await deleteEndpoint(deps, workspace.orgId, workspace.endpointId)
  const indexing = startIndexing(deps)
  const tagsOf = (number: number) => (number % 10 === 0 ? ['vip'] : [])
  await createAnsweredTickets(deps, workspace.orgId, TICKETS, tagsOf)
  while (await isBehind(workspace.file)) await Bun.sleep(POLL_MS)
  await indexing.stop()
  await deps.database.close()
  const bytes = (statSync(workspace.file).size - empty) / TICKETS
  workspace.remove()
  return [
    {
      name: 'Disk of a ticket with 1.5 messages / as it was on 2026-11-22',
      measured: bytes / BYTES_BEFORE,
      unit: 'ratio',
      target: 0.6,
      wanted: 'at most',
      detail: `${Math.round(bytes)} / ${BYTES_BEFORE} bytes`,
    },
  ]
}

async function isBehind(file: string): Promise<boolean> {
  using database = new Database(file, { readonly: true })
  const row = database
    .query<{ behind: number }, []>(
      `select count(*) as behind from organizations left join search_cursors on org_id = id
        where event_number is null or event_number < last_event or back_at is not null`,
    )
    .get()
  return row?.behind !== 0
}

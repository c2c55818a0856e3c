import { queryOptions, useQuery } from '@tanstack/solid-query'
import ArchiveRestore from 'lucide-solid/icons/archive-restore'
import { Show } from 'solid-js'
import { formatSize } from '../../../server/sizes.ts'
import { type Answer, api, ask } from '../../api/api.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type Column, DataTable } from '../data-table.tsx'
import { DetailList } from '../detail-list.tsx'
import { Page } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { Timestamp } from '../timestamp.tsx'

type Status = Answer<typeof api.console.backups.get>
type Run = Status['runs'][number]

/** A backup may end while the page is open. */
const REFETCH_MS = 30_000

const backupsQuery = queryOptions({
  queryKey: queryKeys.backups,
  queryFn: () => ask(api.console.backups.get()),
  refetchInterval: REFETCH_MS,
})

const STATES: Record<Status['state'], string> = {
  off: 'Off',
  waiting: 'The first backup is being made',
  working: 'Working',
  failing: 'Failing',
}

const COLUMNS: Column<Run>[] = [
  { head: 'When', isNarrow: true, cell: (run) => <Timestamp at={run.startedAt} /> },
  { head: 'Result', cell: (run) => run.error || run.name },
  { head: 'Size', isNarrow: true, cell: (run) => (run.error ? '–' : formatSize(run.bytes)) },
]

/** The state of automatic backups. They are set up on the server. */
export function BackupsPage() {
  const query = useQuery(() => backupsQuery)
  return (
    <Page title="Backups" lead="The server backs up all data each day and checks every backup.">
      <QueryView query={query} what="backups">
        {(status) => (
          <Show
            when={status().state !== 'off'}
            fallback={
              <EmptyState
                icon={<ArchiveRestore />}
                title="No automatic backups"
                text="Set BELLHOP_BACKUP on the server to a folder or an S3 bucket."
                action={<a href="/docs/backup">Read how</a>}
              />
            }
          >
            <DetailList items={detailsOf(status())} />
            <DataTable
              label="backups"
              columns={COLUMNS}
              rows={status().runs}
              onRetry={() => void query.refetch()}
              empty={
                <EmptyState
                  icon={<ArchiveRestore />}
                  title="No backups yet"
                  text="The first one is being made."
                />
              }
            />
          </Show>
        )}
      </QueryView>
    </Page>
  )
}

function detailsOf({ state, place, isEncrypted, lastSuccess, nextAt }: Status) {
  return [
    { name: 'State', value: STATES[state] },
    { name: 'Place', value: place },
    { name: 'Encrypted', value: isEncrypted ? 'Yes' : 'No' },
    { name: 'Last success', value: lastSuccess ? <Timestamp at={lastSuccess.startedAt} /> : 'Never' },
    { name: 'Next', value: nextAt ? <Timestamp at={nextAt} /> : '–' },
  ]
}

import { useSearchParams } from '@solidjs/router'
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/solid-query'
import ScrollText from 'lucide-solid/icons/scroll-text'
import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type Column, DataTable } from '../data-table.tsx'
import { FilterSelect } from '../filter-select.tsx'
import { Page } from '../page-layout.tsx'
import { ShowMore } from '../query-view.tsx'
import { Timestamp } from '../timestamp.tsx'
import './audit.css'
import { ACTIONS, type AuditEntry, actionText, subjectText } from './entry-text.ts'

const OPTIONS = Object.entries(ACTIONS).map(([value, label]) => ({ value, label }))
const ACTOR_KINDS = { agent: '', key: 'API key', command: 'command', system: '' }

const PAGE_SIZE = 50
const COLUMNS: Column<AuditEntry>[] = [
  { head: 'When', isNarrow: true, cell: (entry) => <Timestamp at={entry.at} /> },
  { head: 'Who', cell: (entry) => <Who entry={entry} /> },
  { head: 'What', cell: (entry) => <What entry={entry} /> },
  { head: 'From', isNarrow: true, cell: (entry) => <span class="mono muted">{entry.address ?? '–'}</span> },
]

/** Who did what in the settings, when and from where. The filter is kept in the URL. */
export function AuditPage() {
  const [search, setSearch] = useSearchParams<{ action: string }>()
  const action = () => (search.action && search.action in ACTIONS ? search.action : undefined)
  const query = useInfiniteQuery(() => auditQuery(action() ? { action: action() ?? '' } : {}))
  return (
    <Page
      title="Audit log"
      lead="Settings changes and sign-ins: who, when and from where. Entries can't be edited or deleted."
    >
      <div class="audit-filter">
        <FilterSelect
          label="Action"
          anyLabel="All actions"
          options={OPTIONS}
          value={action()}
          onChange={(value) => setSearch({ action: value }, { replace: true })}
        />
      </div>
      <div class="audit">
        <DataTable
          label="audit log"
          columns={COLUMNS}
          rows={query.data?.pages.flatMap(({ data }) => data)}
          error={query.isLoadingError ? query.error : undefined}
          onRetry={() => void query.refetch()}
          empty={
            <EmptyState icon={<ScrollText />} title="No entries" text="Matching events will appear here." />
          }
        />
      </div>
      <ShowMore query={query} />
    </Page>
  )
}

function Who(props: { entry: AuditEntry }) {
  return (
    <span class="audit-who">
      {props.entry.actor.name}
      <Show when={ACTOR_KINDS[props.entry.actor.kind]}>{(kind) => <Badge>{kind()}</Badge>}</Show>
    </span>
  )
}

function What(props: { entry: AuditEntry }) {
  return (
    <>
      <span class="audit-action">{actionText(props.entry)}</span> {subjectText(props.entry)}
    </>
  )
}

function auditQuery(filter: { action?: string }) {
  return infiniteQueryOptions({
    queryKey: queryKeys.auditEntries(filter),
    queryFn: ({ pageParam }) =>
      ask(
        api.console.audit.get({
          query: { ...filter, limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }: { nextCursor?: string | undefined }) => nextCursor,
    // Always reloaded, so that recent actions show up.
    staleTime: 0,
  })
}

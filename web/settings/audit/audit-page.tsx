import { useSearchParams } from '@solidjs/router'
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/solid-query'
import ScrollText from 'lucide-solid/icons/scroll-text'
import { type Accessor, For, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { logQuery } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Badge } from '../../ui/badge.tsx'
import { Timestamp } from '../detail-list.tsx'
import { FilterSelect } from '../filters.tsx'
import { LogPage } from '../query-view.tsx'
import './audit.css'
import { ACTIONS, type AuditEntry, actionText, isAction, subjectText } from './entry-text.ts'

const OPTIONS = Object.entries(ACTIONS).map(([value, label]) => ({ value, label }))
const ACTOR_KINDS = { agent: '', program: 'program', key: 'API key', command: 'command', system: '' }

const PAGE_SIZE = 50

/** Who did what in the settings, when and from where. The filter is kept in the URL. */
export function AuditPage() {
  const [search, setSearch] = useSearchParams<{ action: string }>()
  const action = () => (isAction(search.action) ? search.action : undefined)
  const query = useInfiniteQuery(() => auditQuery(action()))
  return (
    <LogPage
      title="Audit log"
      lead="Settings changes and sign-ins: who, when and from where. Entries can't be edited or deleted."
      filters={
        <search class="audit-filter" aria-label="Filter the audit log">
          <FilterSelect
            label="Action"
            anyLabel="All actions"
            options={OPTIONS}
            value={action()}
            onChange={(value) => setSearch({ action: value }, { replace: true })}
          />
        </search>
      }
      isFiltered={action() !== undefined}
      query={query}
      what="the audit log"
      empty={{ icon: <ScrollText />, title: 'No entries', text: 'Matching events will appear here.' }}
      noMatch={{ title: 'No entries', text: 'Matching events will appear here.' }}
    >
      {(entries) => <AuditTable entries={entries} />}
    </LogPage>
  )
}

function AuditTable(props: { entries: Accessor<AuditEntry[]> }) {
  return (
    <div class="panel audit-frame">
      <table class="audit" aria-label="audit log">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.entries()}>
            {(entry) => (
              <tr>
                <td>
                  <Timestamp at={entry.at} />
                </td>
                <td>
                  <Who entry={entry} />
                </td>
                <td>
                  <span class="audit-action">{actionText(entry)}</span> {subjectText(entry)}
                </td>
                <td class="mono muted">{entry.address ?? '–'}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
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

function auditQuery(action: AuditEntry['action'] | undefined) {
  const filter = action ? { action } : {}
  return infiniteQueryOptions({
    queryKey: queryKeys.auditEntries(filter),
    ...logQuery((cursor) =>
      ask(api.console.audit.get({ query: { ...filter, limit: PAGE_SIZE, ...(cursor && { cursor }) } })),
    ),
  })
}

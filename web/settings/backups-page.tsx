import { queryOptions, useQuery } from '@tanstack/solid-query'
import ArchiveRestore from 'lucide-solid/icons/archive-restore'
import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleX from 'lucide-solid/icons/circle-x'
import LoaderCircle from 'lucide-solid/icons/loader-circle'
import { Show } from 'solid-js'
import { formatSize } from '../../server/text/sizes.ts'
import { type Answer, api, ask } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import { ActionButton } from '../forms/action.tsx'
import { Badge } from '../ui/badge.tsx'
import { DocsLink } from '../ui/docs-link.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { DetailList, type ShownState, StateBadge, Timestamp } from './detail-list.tsx'
import { Entry, EntryList } from './entry.tsx'
import { Page, Section } from './page.tsx'
import { QueryView } from './query-view.tsx'

type Status = Answer<typeof api.console.backups.get>
type Run = Status['runs'][number]

/** A backup may end while the page is open. */
const REFETCH_MS = 30_000
const REFETCH_WHILE_RUNNING_MS = 1_000

const backupsQuery = queryOptions({
  queryKey: queryKeys.backups,
  queryFn: () => ask(api.console.backups.get()),
  refetchInterval: ({ state }) => (state.data?.isRunning ? REFETCH_WHILE_RUNNING_MS : REFETCH_MS),
})

const STATES: Record<Exclude<Status['state'], 'off'>, ShownState> = {
  waiting: { word: 'No backup yet', tone: 'amber', icon: CircleAlert },
  working: { word: 'Working', tone: 'green', icon: CircleCheck },
  failing: { word: 'Failing', tone: 'red', icon: CircleX },
}
const RUNNING: ShownState = { word: 'Backing up', tone: 'amber', icon: LoaderCircle }
/** One failure, with another try to come. */
const FAILED_ONCE: ShownState = { word: 'Last backup failed', tone: 'amber', icon: CircleAlert }

/** The state of automatic backups. They are set up on the server. */
export function BackupsPage() {
  const query = useQuery(() => backupsQuery)
  return (
    <Page
      title="Backups"
      lead={
        <>
          The server backs up all data automatically, and checks every backup by reading it back.{' '}
          <DocsLink to="/docs/backup">Back up and restore</DocsLink> explains how to set this up and how to
          restore.
        </>
      }
      actions={
        <Show when={query.data && query.data.state !== 'off'}>
          <ActionButton
            isRunning={query.data?.isRunning}
            run={() => ask(api.console.backups.post())}
            onDone={(status) => void queries.setQueryData(queryKeys.backups, status)}
          >
            Back up now
          </ActionButton>
        </Show>
      }
    >
      <QueryView query={query} what="backups">
        {(status) => (
          <Show
            when={status().state !== 'off'}
            fallback={
              <EmptyState
                icon={<ArchiveRestore />}
                title="No automatic backups"
                text="Set BELLHOP_BACKUP on the server to a folder or an S3 bucket, and restart it."
              />
            }
          >
            <Facts status={status()} />
            <Section title="Latest backups">
              <Show when={status().runs.length > 0} fallback={<p class="muted">None yet.</p>}>
                <EntryList label="Latest backups" items={status().runs}>
                  {(run) => <RunRow run={run} />}
                </EntryList>
              </Show>
            </Section>
          </Show>
        )}
      </QueryView>
    </Page>
  )
}

function RunRow(props: { run: Run }) {
  return (
    <Entry
      title={
        <>
          <Timestamp at={props.run.startedAt} />
          <Show when={props.run.error}>
            <Badge tone="red">Failed</Badge>
          </Show>
        </>
      }
      facts={
        props.run.error
          ? undefined
          : [<span class="mono">{props.run.name}</span>, formatSize(props.run.bytes)]
      }
      error={props.run.error}
    />
  )
}

function Facts(props: { status: Status }) {
  return (
    <DetailList
      items={{
        State: <StateBadge state={shownState(props.status)} />,
        Place: <span class="mono">{props.status.place}</span>,
        Encrypted: props.status.isEncrypted ? 'Yes' : 'No',
        'Last success': <TimeOr at={props.status.lastSuccess?.startedAt} otherwise="None yet" />,
        'Next backup': <TimeOr at={props.status.nextAt} otherwise="None" />,
      }}
    />
  )
}

function shownState({ state, runs, isRunning }: Status): ShownState {
  if (isRunning) return RUNNING
  if (state === 'working' && runs[0]?.error) return FAILED_ONCE
  return STATES[state === 'off' ? 'waiting' : state]
}

function TimeOr(props: { at: string | null | undefined; otherwise: string }) {
  return (
    <Show when={props.at} fallback={props.otherwise}>
      {(at) => <Timestamp at={at()} />}
    </Show>
  )
}

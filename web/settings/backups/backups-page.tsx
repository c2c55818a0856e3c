import { queryOptions, useMutation, useQuery } from '@tanstack/solid-query'
import ArchiveRestore from 'lucide-solid/icons/archive-restore'
import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleX from 'lucide-solid/icons/circle-x'
import LoaderCircle from 'lucide-solid/icons/loader-circle'
import { type Component, For, type JSX, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { formatSize } from '../../../server/sizes.ts'
import { type Answer, api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { toastError } from '../../ui/toaster.tsx'
import { DetailList } from '../detail-list.tsx'
import { Page, Section } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { Timestamp } from '../timestamp.tsx'

type Status = Answer<typeof api.console.backups.get>
type Run = Status['runs'][number]

interface Shown {
  word: string
  tone: Tone
  icon: Component<{ size?: number }>
}

/** A backup may end while the page is open. */
const REFETCH_MS = 30_000
const REFETCH_WHILE_RUNNING_MS = 1_000

const backupsQuery = queryOptions({
  queryKey: queryKeys.backups,
  queryFn: () => ask(api.console.backups.get()),
  refetchInterval: ({ state }) => (state.data?.isRunning ? REFETCH_WHILE_RUNNING_MS : REFETCH_MS),
})

const STATES: Record<Exclude<Status['state'], 'off'>, Shown> = {
  waiting: { word: 'No backup yet', tone: 'amber', icon: CircleAlert },
  working: { word: 'Working', tone: 'green', icon: CircleCheck },
  failing: { word: 'Failing', tone: 'red', icon: CircleX },
}
const RUNNING: Shown = { word: 'Backing up', tone: 'amber', icon: LoaderCircle }
/** One failure, with another try to come. */
const FAILED_ONCE: Shown = { word: 'Last backup failed', tone: 'amber', icon: CircleAlert }

/** The state of automatic backups. They are set up on the server. */
export function BackupsPage() {
  const query = useQuery(() => backupsQuery)
  const backUp = useMutation(() => ({
    mutationFn: () => ask(api.console.backups.post()),
    onSuccess: (status: Status) => queries.setQueryData(queryKeys.backups, status),
    onError: (error) => toastError(errorMessage(error)),
  }))
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
          <Button isBusy={backUp.isPending || query.data?.isRunning === true} onClick={() => backUp.mutate()}>
            Back up now
          </Button>
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
            <DetailList items={factsOf(status())} />
            <Section title="Latest backups">
              <Show when={status().runs.length > 0} fallback={<p class="muted">None yet.</p>}>
                <ul class="entry-list" aria-label="Latest backups">
                  <For each={status().runs}>{(run) => <RunRow run={run} />}</For>
                </ul>
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
    <li class="entry">
      <span class="entry-words">
        <span class="entry-title">
          <Timestamp at={props.run.startedAt} />
          <Show when={props.run.error}>
            <Badge tone="red">Failed</Badge>
          </Show>
        </span>
        <Show when={props.run.error} fallback={<RunFacts run={props.run} />}>
          <span class="entry-error">{props.run.error}</span>
        </Show>
      </span>
    </li>
  )
}

function RunFacts(props: { run: Run }) {
  return (
    <span class="entry-facts">
      <span class="mono">{props.run.name}</span>
      <span>{formatSize(props.run.bytes)}</span>
    </span>
  )
}

function factsOf(status: Status): { name: string; value: JSX.Element }[] {
  const { place, isEncrypted, lastSuccess, nextAt } = status
  return [
    { name: 'State', value: <State status={status} /> },
    { name: 'Place', value: <span class="mono">{place}</span> },
    { name: 'Encrypted', value: isEncrypted ? 'Yes' : 'No' },
    { name: 'Last success', value: <TimeOr at={lastSuccess?.startedAt} otherwise="None yet" /> },
    { name: 'Next backup', value: <TimeOr at={nextAt} otherwise="None" /> },
  ]
}

function State(props: { status: Status }) {
  const shown = () => shownState(props.status)
  return (
    <Badge tone={shown().tone}>
      <Dynamic component={shown().icon} size={12} />
      {shown().word}
    </Badge>
  )
}

function shownState({ state, runs, isRunning }: Status): Shown {
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

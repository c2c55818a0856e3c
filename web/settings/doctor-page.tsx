import { queryOptions, useQuery } from '@tanstack/solid-query'
import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import TriangleAlert from 'lucide-solid/icons/triangle-alert'
import { type Component, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { type Answer, api, ask } from '../api/api.ts'
import { queryKeys } from '../api/query-keys.ts'
import type { Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Entry, EntryList } from './entry.tsx'
import { Page, Section } from './page.tsx'
import { QueryView } from './query-view.tsx'

type Report = Answer<typeof api.console.doctor.get>
type Finding = Report['findings'][number]

/** A run connects to mail servers and reads the whole database, so only a person starts one. */
const doctorQuery = queryOptions({
  queryKey: queryKeys.doctor,
  queryFn: () => ask(api.console.doctor.get()),
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
})

const TITLES: Record<Finding['check'], string> = {
  settings: 'Settings',
  folder: 'Data folder',
  disk: 'Disk space',
  database: 'Database',
  servers: 'Servers',
  files: 'Attachments',
  server: 'Server',
  machine: 'Machine limits',
  clock: 'Clock',
  dns: 'DNS',
  address: 'Public address',
  certificate: 'Certificate',
  proxy: 'Proxy',
  backup: 'Backups',
  mailbox: 'Mailbox',
  bot: 'Telegram bot',
  endpoint: 'Webhook endpoint',
  backlog: 'Backlog',
  search: 'Search',
}

/** The page where it can be put right, if there is one. */
const PAGES: Partial<Record<Finding['check'], { path: string; name: string }>> = {
  backup: { path: 'backups', name: 'Open backups' },
  mailbox: { path: 'email', name: 'Open email' },
  bot: { path: 'telegram', name: 'Open Telegram' },
  endpoint: { path: 'endpoints', name: 'Open endpoints' },
}

const LOOKS: Record<Finding['state'], { icon: Component; name: string; tone: Tone }> = {
  error: { icon: CircleAlert, name: 'Error', tone: 'red' },
  warning: { icon: TriangleAlert, name: 'Warning', tone: 'amber' },
  ok: { icon: CircleCheck, name: 'OK', tone: 'green' },
}

/** What `bellhop doctor` finds: of the installation, and of this organization's channels and endpoints. */
export function DoctorPage() {
  const query = useQuery(() => doctorQuery)
  return (
    <Page
      title="Doctor"
      lead="Checks this installation and your channels, and says what to do. It takes up to half a minute."
      actions={
        <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
          Run again
        </Button>
      }
    >
      <QueryView query={query} what="checks" rows={8}>
        {(report) => (
          <>
            <Summary report={report()} />
            <Findings title="Problems" findings={report().findings.filter(isProblem)} />
            <Findings title="Passed" findings={report().findings.filter((one) => !isProblem(one))} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function isProblem({ state }: Finding): boolean {
  return state !== 'ok'
}

function Summary(props: { report: Report }) {
  return (
    <p class="doctor-page-summary row" data-tone={LOOKS[props.report.state].tone} role="status">
      <Dynamic component={LOOKS[props.report.state].icon} />
      <strong>{props.report.detail}</strong>
      <span>
        Checked <RelativeTime at={props.report.checkedAt} isLong />
      </span>
    </p>
  )
}

function Findings(props: { title: string; findings: Finding[] }) {
  return (
    <Show when={props.findings.length > 0}>
      <Section title={props.title}>
        <EntryList label={props.title} items={props.findings}>
          {(finding) => <FindingRow finding={finding} />}
        </EntryList>
      </Section>
    </Show>
  )
}

function FindingRow(props: { finding: Finding }) {
  const look = () => LOOKS[props.finding.state]
  const page = () => (isProblem(props.finding) ? PAGES[props.finding.check] : undefined)
  return (
    <Entry
      class="doctor-page-finding"
      icon={
        <span
          class="doctor-page-icon"
          data-tone={look().tone}
          role="img"
          aria-label={look().name}
          title={look().name}
        >
          <Dynamic component={look().icon} />
        </span>
      }
      title={TITLES[props.finding.check]}
      more={
        <>
          <p>{props.finding.detail}</p>
          <Show when={props.finding.advice}>
            <p class="muted">{props.finding.advice}</p>
          </Show>
        </>
      }
      actions={page() && <a href={`/settings/${page()?.path}`}>{page()?.name}</a>}
    />
  )
}

import { createMemo, Show } from 'solid-js'
import type { Answer, api } from '../api/api.ts'
import { Time } from '../ui/relative-time.tsx'
import './live-banner.css'

/** What administrators should do something about. */
export interface Problems {
  mailboxes: Answer<typeof api.console.mailboxes.problems.get>['data']
  bots: Answer<typeof api.console.bots.problems.get>['data']
  hasFailingBackups: boolean
}

/** A mailbox or a bot that doesn't work. */
interface Problem {
  id: string
  name: string
  state: string
  since: string
  detail: string
  /** What the link of a refused one says. */
  fix: string
  /** For the link: "Open bot". */
  kind: 'mailbox' | 'bot'
  list: string
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const DAY_AND_CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DAY_MS = 24 * 3_600_000

/** Which mailbox or bot has stopped working, or how many, and that backups fail. */
export function ChannelProblems(props: { problems: Problems }) {
  return (
    <>
      <BrokenChannels problems={props.problems} />
      <Show when={props.problems.hasFailingBackups}>
        <p class="channel-problems">
          <span class="channel-problems-text">The last backups failed.</span>
          <a href="/settings/backups">Open backups</a>
        </p>
      </Show>
    </>
  )
}

function BrokenChannels(props: { problems: Problems }) {
  const problems = createMemo(() => listOf(props.problems))
  const several = () => problems().length > 1
  return (
    <Show when={problems()[0]}>
      {(first) => (
        <p class="channel-problems">
          <Show
            when={several()}
            fallback={
              <>
                <span class="channel-problems-text">
                  {first().name} hasn't worked since <Since problem={first()} />. {first().detail}
                </span>
                <a href={`${first().list}/${first().id}`}>
                  {first().state === 'refused' ? first().fix : `Open ${first().kind}`}
                </a>
              </>
            }
          >
            <span class="channel-problems-text">
              {problems().length} {namesOf(problems())} aren't working.
            </span>
            <a href={first().list}>Open {first().kind === 'bot' ? 'bots' : 'mailboxes'}</a>
          </Show>
        </p>
      )}
    </Show>
  )
}

function listOf({ mailboxes, bots }: Problems): Problem[] {
  return [
    ...mailboxes.map((one) => ({
      ...one,
      name: one.address,
      fix: one.signIn === 'password' ? 'Fix sign-in' : 'Sign in again',
      kind: 'mailbox' as const,
      list: '/settings/email',
    })),
    ...bots.map((one) => ({
      ...one,
      name: `@${one.username}`,
      fix: 'Reconnect',
      kind: 'bot' as const,
      list: '/settings/telegram',
    })),
  ]
}

function namesOf(problems: Problem[]): string {
  const kinds = new Set(problems.map(({ kind }) => kind))
  if (kinds.size > 1) return 'mailboxes and bots'
  return kinds.has('bot') ? 'bots' : 'mailboxes'
}

/** "10:32", with the day when that was not today. */
function Since(props: { problem: Problem }) {
  const text = () => {
    const at = new Date(props.problem.since)
    return (Date.now() - at.getTime() < DAY_MS ? CLOCK : DAY_AND_CLOCK).format(at)
  }
  return <Time at={props.problem.since}>{text()}</Time>
}

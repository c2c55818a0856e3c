import { createMemo, Show } from 'solid-js'
import { type Answer, api, ask } from '../api/api.ts'
import { observe } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import { useSession } from '../api/session.ts'
import { Time } from '../ui/relative-time.tsx'
import './mailbox-banner.css'

type Problem = Answer<typeof api.console.mailboxes.problems.get>['data'][number]

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const DAY_AND_CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DAY_MS = 24 * 3_600_000

/** Tells administrators on every page which mailbox has stopped working. */
export function MailboxBanner() {
  const session = useSession()
  const result = observe(() => ({
    queryKey: queryKeys.mailboxProblems,
    queryFn: () => ask(api.console.mailboxes.problems.get()),
    enabled: session().agent.role === 'admin',
  }))
  const problems = createMemo(() => result().data?.data ?? [])
  const several = () => problems().length > 1
  return (
    <div role="status">
      <Show when={problems()[0]}>
        {(first) => (
          <p class="mailbox-banner">
            <Show
              when={several()}
              fallback={
                <>
                  <span class="mailbox-banner-text">
                    {first().address} hasn't worked since <Since problem={first()} />. {first().detail}
                  </span>
                  <a href={`/settings/email/${first().id}`}>
                    {first().state === 'refused' ? 'Reconnect' : 'Open mailbox'}
                  </a>
                </>
              }
            >
              <span class="mailbox-banner-text">{problems().length} mailboxes aren't working.</span>
              <a href="/settings/email">Open mailboxes</a>
            </Show>
          </p>
        )}
      </Show>
    </div>
  )
}

/** "10:32", with the day when that was not today. */
function Since(props: { problem: Problem }) {
  const text = () => {
    const at = new Date(props.problem.since)
    return (Date.now() - at.getTime() < DAY_MS ? CLOCK : DAY_AND_CLOCK).format(at)
  }
  return <Time at={props.problem.since}>{text()}</Time>
}

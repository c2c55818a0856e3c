import { Show } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { observe } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import { useSession } from '../api/session.ts'
import type { Problems } from './channel-problems.tsx'
import { lazyPart } from './lazy-page.tsx'

const ChannelProblems = lazyPart(async () => (await import('./channel-problems.tsx')).ChannelProblems)

/** Tells administrators on every page which mailbox or Telegram bot has stopped working. */
export function ChannelBanner() {
  const session = useSession()
  const result = observe(() => ({
    queryKey: queryKeys.channelProblems,
    queryFn: readProblems,
    enabled: session().agent.role === 'admin',
  }))
  const problems = () => result().data
  return (
    <div role="status">
      <Show when={problems()?.mailboxes.length || problems()?.bots.length ? problems() : undefined}>
        {(some) => <ChannelProblems problems={some()} />}
      </Show>
    </div>
  )
}

async function readProblems(): Promise<Problems> {
  const [mailboxes, bots] = await Promise.all([
    ask(api.console.mailboxes.problems.get()),
    ask(api.console.bots.problems.get()),
  ])
  return { mailboxes: mailboxes.data, bots: bots.data }
}

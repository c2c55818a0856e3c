import { Show } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { observe } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import { useSession } from '../api/session.ts'
import type { Problems } from './channel-problems.tsx'
import { lazyPart } from './lazy-page.tsx'

const ChannelProblems = lazyPart(async () => (await import('./channel-problems.tsx')).ChannelProblems)

/** Tells administrators on every page which mailbox or Telegram bot has stopped working, and when backups fail. */
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
      <Show when={hasAny(problems()) ? problems() : undefined}>
        {(some) => <ChannelProblems problems={some()} />}
      </Show>
    </div>
  )
}

function hasAny(problems: Problems | undefined): boolean {
  if (!problems) return false
  return problems.mailboxes.length > 0 || problems.bots.length > 0 || problems.hasFailingBackups
}

async function readProblems(): Promise<Problems> {
  const [mailboxes, bots, backups] = await Promise.all([
    ask(api.console.mailboxes.problems.get()),
    ask(api.console.bots.problems.get()),
    ask(api.console.backups.get()),
  ])
  return { mailboxes: mailboxes.data, bots: bots.data, hasFailingBackups: backups.state === 'failing' }
}

import { useNavigate } from '@solidjs/router'
import Rocket from 'lucide-solid/icons/rocket'
import { createMemo } from 'solid-js'
import { observe } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { checklistQuery, countSteps } from '../../api/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useCountsResult } from '../inbox-data.ts'

/** Whether an admin sees an organization that has no tickets yet. Undefined until that is known. */
export function useIsFirstDay() {
  const session = useSession()
  const counts = useCountsResult()
  return createMemo(() => {
    if (session().agent.role !== 'admin') return false
    const { data, isPending } = counts()
    if (isPending) return undefined
    return data !== undefined && Object.values(data.views).every((count) => count === 0)
  })
}

/** Links to the setup page and shows how much is done. */
export function FirstSteps() {
  const navigate = useNavigate()
  const result = observe(() => checklistQuery)
  const count = () => countSteps(result().data?.data ?? [])
  return (
    <EmptyState
      icon={<Rocket />}
      title="Your inbox is ready"
      text={
        <>
          Connect a channel to start receiving tickets, or <a href="/settings/keys">create an API key</a> to
          create them with your own software.
          {count().done > 0 ? ` ${count().done} of ${count().possible} steps done.` : ''}
        </>
      }
      action={
        <Button look="primary" onClick={() => navigate('/settings/start')}>
          {count().done > 0 ? 'Continue setup' : 'Start setup'}
        </Button>
      }
    />
  )
}

import { useNavigate } from '@solidjs/router'
import Rocket from 'lucide-solid/icons/rocket'
import { createMemo } from 'solid-js'
import { observe } from '../api/observe-query.ts'
import { useSession } from '../api/session.ts'
import { checklistQuery, countSteps } from '../api/workspace.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { useCountsResult } from './inbox-data.ts'

/**
 * Whether this is the day on which somebody has to set up the organization: nobody has ever written. Undefined until that
 * is known.
 */
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

/** Leads to the list of first steps, and says how many are done. */
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
          Tickets come in here as soon as people can write to you.
          {count().done > 0 ? ` ${count().done} of ${count().possible} first steps are done.` : ''}
        </>
      }
      action={
        <Button look="primary" onClick={() => navigate('/settings/start')}>
          {count().done > 0 ? 'Go on with the first steps' : 'See the first steps'}
        </Button>
      }
    />
  )
}

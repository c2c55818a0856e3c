import CloudOff from 'lucide-solid/icons/cloud-off'
import { errorMessage } from '../api/api-problem.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

interface FailedStateProps {
  /** What failed: "Couldn't load tickets". */
  title: string
  /** What was thrown. */
  error: unknown
  onRetry: () => void
  isBusy?: boolean
}

/** Shown in place of data that couldn't be loaded, with the reason and a retry button. */
export function FailedState(props: FailedStateProps) {
  return (
    <div role="alert">
      <EmptyState
        icon={<CloudOff />}
        title={props.title}
        text={errorMessage(props.error)}
        action={
          <Button onClick={props.onRetry} isBusy={props.isBusy}>
            Try again
          </Button>
        }
      />
    </div>
  )
}

/** The same for a query, which is loaded again. */
export function FailedQuery(props: {
  title: string
  query: { error: unknown; isFetching: boolean; refetch(): unknown }
}) {
  return (
    <FailedState
      title={props.title}
      error={props.query.error}
      isBusy={props.query.isFetching}
      onRetry={() => void props.query.refetch()}
    />
  )
}

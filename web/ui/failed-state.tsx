import CloudOff from 'lucide-solid/icons/cloud-off'
import { sentenceOf } from '../api/api-problem.ts'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'

interface FailedStateProps {
  /** What is missing: "The tickets could not be loaded". */
  title: string
  /** What was thrown. */
  error: unknown
  onRetry: () => void
  isBusy?: boolean
}

/** What stands where something could not be read, with the reason and a way to try again. */
export function FailedState(props: FailedStateProps) {
  return (
    <div role="alert">
      <EmptyState
        icon={<CloudOff />}
        title={props.title}
        text={sentenceOf(props.error)}
        action={
          <Button onClick={props.onRetry} isBusy={props.isBusy}>
            Try again
          </Button>
        }
      />
    </div>
  )
}

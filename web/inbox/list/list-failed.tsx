import SearchX from 'lucide-solid/icons/search-x'
import { Show } from 'solid-js'
import { codeOf, errorMessage } from '../../api/api-problem.ts'
import { FailedState } from '../../forms/failed-state.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

interface ListFailedProps {
  error: unknown
  onRetry: () => void
  isBusy: boolean
}

/** A search that is not understood is no failure: it says what it takes. */
export function ListFailed(props: ListFailedProps) {
  return (
    <Show
      when={codeOf(props.error) === 'invalid_query'}
      fallback={
        <FailedState
          title="The tickets could not be loaded"
          error={props.error}
          onRetry={props.onRetry}
          isBusy={props.isBusy}
        />
      }
    >
      <div role="status">
        <EmptyState
          icon={<SearchX />}
          title="That search is not understood"
          text={errorMessage(props.error)}
          action={<DocsLink to="/docs/inbox#search">How search works</DocsLink>}
        />
      </div>
    </Show>
  )
}

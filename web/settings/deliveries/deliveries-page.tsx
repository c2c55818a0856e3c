import { useSearchParams } from '@solidjs/router'
import { useInfiniteQuery } from '@tanstack/solid-query'
import FunnelX from 'lucide-solid/icons/funnel-x'
import Inbox from 'lucide-solid/icons/inbox'
import { createMemo, For, Show } from 'solid-js'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../page-layout.tsx'
import { LogView, ShowMore } from '../query-view.tsx'
import { deliveriesQuery, filterOf, isMoving } from './delivery-data.ts'
import { DeliveryFilters } from './delivery-filters.tsx'
import { DeliveryRow } from './delivery-row.tsx'
import { ResendAll } from './resend-all.tsx'

const MOVING_REFETCH_MS = 1_500
const IDLE_REFETCH_MS = 10_000

/** All deliveries to endpoints, newest first. The filter is kept in the URL. */
export function DeliveriesPage() {
  const [search, setSearch] = useSearchParams()
  const filter = createMemo(() => filterOf(search))
  const query = useInfiniteQuery(() => ({
    ...deliveriesQuery(filter()),
    reconcile: 'id',
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(isMoving)) ? MOVING_REFETCH_MS : IDLE_REFETCH_MS,
  }))
  const isFiltered = () => Object.keys(filter()).length > 0

  return (
    <Page
      title="Delivery log"
      actions={<ResendAll endpointId={filter().endpoint} />}
      lead="Everything sent to your webhook endpoints, newest first. Headers and bodies are kept for 30 days, the rest for 90."
    >
      <DeliveryFilters filter={filter()} onChange={(change) => setSearch(change, { replace: true })} />
      <LogView query={query} what="deliveries">
        {(found) => (
          <Show
            when={found().length > 0}
            fallback={
              <>
                <NoDeliveries isFiltered={isFiltered()} hasOlder={query.hasNextPage} />
                <ShowMore query={query} />
              </>
            }
          >
            <div class="delivery-row-columns delivery-row-heads" aria-hidden="true">
              <span>State</span>
              <span>Event</span>
              <span>Endpoint</span>
              <span>Error</span>
              <span class="delivery-row-time">Created</span>
            </div>
            <ul class="entry-list" aria-label="Deliveries">
              <For each={found()}>{(delivery) => <DeliveryRow delivery={delivery} />}</For>
            </ul>
            <ShowMore query={query} />
          </Show>
        )}
      </LogView>
    </Page>
  )
}

/** `hasOlder`: only the newest deliveries were searched. */
function NoDeliveries(props: { isFiltered: boolean; hasOlder: boolean }) {
  return (
    <Show
      when={props.isFiltered}
      fallback={
        <EmptyState
          icon={<Inbox />}
          title="No deliveries yet"
          text="Once an endpoint is registered, every new ticket and message appears here with its result."
          action={<a href="/settings/endpoints">Go to endpoints</a>}
        />
      }
    >
      <EmptyState
        icon={<FunnelX />}
        title={props.hasOlder ? 'Nothing in the newest deliveries' : 'No matching deliveries'}
        text={props.hasOlder ? 'Show more to search older ones, or try fewer filters.' : 'Try fewer filters.'}
        action={<a href="/settings/deliveries">Show all deliveries</a>}
      />
    </Show>
  )
}

import { useQuery } from '@tanstack/solid-query'
import Plus from 'lucide-solid/icons/plus'
import WebhookIcon from 'lucide-solid/icons/webhook'
import { createSignal, For, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Page } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { type Endpoint, endpointsQuery, shortAddress } from './endpoint-data.ts'
import { EndpointState, healthSentence } from './endpoint-health.tsx'
import { NewEndpoint } from './new-endpoint.tsx'

/** The webhook endpoints of the organization. */
export function EndpointsPage() {
  const query = useQuery(() => ({ ...endpointsQuery, reconcile: 'id' }))
  const [isCreating, setCreating] = createSignal(false)
  const add = () => (
    <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)}>
      New endpoint
    </Button>
  )
  return (
    <Page
      title="Webhook endpoints"
      lead="Bellhop posts every new ticket and message to these URLs, signed, and retries on failure."
      actions={add()}
    >
      <QueryView query={query} what="webhook endpoints" rows={3}>
        {(list) => (
          <Show when={list().data.length > 0} fallback={<NoEndpoints />}>
            <ul class="entry-list">
              <For each={list().data}>{(endpoint) => <EndpointRow endpoint={endpoint} />}</For>
            </ul>
          </Show>
        )}
      </QueryView>
      <NewEndpoint isOpen={isCreating()} onClose={() => setCreating(false)} />
    </Page>
  )
}

function NoEndpoints() {
  return (
    <EmptyState
      icon={<WebhookIcon />}
      title="No endpoints yet"
      text="Add an HTTPS URL to receive every new ticket and message within a second."
    />
  )
}

function EndpointRow(props: { endpoint: Endpoint }) {
  return (
    <li>
      <a class="entry entry-link" href={`/settings/endpoints/${props.endpoint.id}`}>
        <div class="entry-words">
          <p class="entry-title">
            {shortAddress(props.endpoint.url)}
            <EndpointState endpoint={props.endpoint} />
          </p>
          <p class="entry-facts">
            <Show when={props.endpoint.description}>
              <span>{props.endpoint.description}</span>
            </Show>
            <span>{props.endpoint.events.join(', ')}</span>
          </p>
          <p class="entry-facts">
            <span>{healthSentence(props.endpoint)}</span>
            <Show when={props.endpoint.health.lastSuccessAt}>
              {(at) => (
                <span>
                  Last success <RelativeTime at={at()} isLong />
                </span>
              )}
            </Show>
          </p>
          <Show when={failure(props.endpoint)}>
            {(error) => <p class="entry-error">{error().sentence}</p>}
          </Show>
        </div>
      </a>
    </li>
  )
}

/** Why it is failing. */
function failure({ health }: Endpoint) {
  return health.failingSince === null ? null : health.lastError
}

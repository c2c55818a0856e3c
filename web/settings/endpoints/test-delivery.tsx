import { useMutation, useQuery } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { FormProblem } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { attemptSentence, deliveryQuery, isMoving } from '../deliveries/delivery-data.ts'
import { DeliveryStateBadge } from '../deliveries/delivery-state.tsx'
import { Section } from '../page-layout.tsx'
import { type Endpoint, EVENTS, type WebhookEvent } from './endpoint-data.ts'
import './test-delivery.css'

const REFETCH_MS = 700
const OPTIONS = EVENTS.map(({ event }) => ({ value: event, label: event }))

/** Sends a sample event and shows the result. */
export function TestDelivery(props: { endpoint: Endpoint }) {
  const [event, setEvent] = createSignal<WebhookEvent>('ticket.created')
  const send = useMutation(() => ({
    mutationFn: () => ask(api.console.endpoints({ id: props.endpoint.id }).test.post({ event: event() })),
  }))
  return (
    <Section
      title="Test delivery"
      text={
        <>
          Sends one real sample, marked <code>X-Service-Test: true</code>. Also works while the endpoint is
          off.
        </>
      }
    >
      <div class="card">
        <div class="card-foot">
          <SegmentedControl label="Event" options={OPTIONS} value={event()} onChange={setEvent} />
          <Button onClick={() => send.mutate()} isBusy={send.isPending}>
            Send test delivery
          </Button>
        </div>
        <FormProblem error={send.error} />
        <Show when={send.data?.deliveryId} keyed>
          {(id) => <TestResult id={id} />}
        </Show>
      </div>
    </Section>
  )
}

function TestResult(props: { id: string }) {
  const query = useQuery(() => ({
    ...deliveryQuery(props.id),
    refetchInterval: ({ state }) => (state.data && !isMoving(state.data) ? false : REFETCH_MS),
  }))
  return (
    <p class="test-delivery-result" role="status">
      <Show when={query.data} fallback={<span class="muted">Sending…</span>}>
        {(delivery) => (
          <>
            <DeliveryStateBadge state={delivery().state} />
            <span>{attemptSentence(delivery())}</span>
            <a href={`/settings/deliveries/${props.id}`}>View delivery</a>
          </>
        )}
      </Show>
    </p>
  )
}

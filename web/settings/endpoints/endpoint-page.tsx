import { useMutation, useQuery } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { OnOffButton } from '../../forms/action.tsx'
import { CardForm, FormProblem } from '../../forms/form.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Select } from '../../ui/select.tsx'
import { attemptSentence, DELIVERY_STATES, deliveryQuery, isMoving } from '../deliveries/delivery-data.ts'
import { ResendForm } from '../deliveries/resend.tsx'
import { DetailList, StateBadge, timeOr } from '../detail-list.tsx'
import { Page, RemoveSection, Section } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import {
  type Endpoint,
  EVENT_OPTIONS,
  endpoints,
  healthSentence,
  shortAddress,
  shownStateOf,
  type WebhookEvent,
} from './endpoint-data.ts'
import { createEndpointForm, EndpointFields } from './endpoint-fields.tsx'
import { ReplayForm } from './replay-form.tsx'
import { RotateSecret } from './signing-secret.tsx'

const LIST = { href: '/settings/endpoints', name: 'Webhook endpoints' }
const REFETCH_MS = 10_000
const MOVING_REFETCH_MS = 700

/** One endpoint: its health, and every action on it. */
export function EndpointPage(props: { id: string }) {
  const query = useQuery(() => ({
    ...endpoints.one(props.id),
    reconcile: 'id',
    refetchInterval: REFETCH_MS,
  }))
  return (
    <Page
      title={query.data ? shortAddress(query.data.url) : 'Webhook endpoint'}
      back={LIST}
      lead={<Show when={query.data}>{(endpoint) => <Lead endpoint={endpoint()} />}</Show>}
      actions={<Show when={query.data}>{(endpoint) => <OnOff endpoint={endpoint()} />}</Show>}
    >
      <QueryView query={query} what="the endpoint">
        {(endpoint) => (
          <>
            <Section
              title="Health"
              text="Last 100 attempts, tests excluded."
              actions={
                <ButtonLink href={`/settings/deliveries?endpoint=${props.id}`}>View deliveries</ButtonLink>
              }
            >
              <EndpointHealth endpoint={endpoint()} />
            </Section>
            <TestDelivery endpoint={endpoint()} />
            <EditEndpoint endpoint={endpoint()} />
            <RotateSecret endpoint={endpoint()} />
            <ResendFailed endpoint={endpoint()} />
            <ReplayEvents endpoint={endpoint()} />
            <RemoveSection
              verb="Delete"
              noun="endpoint"
              text="Queued deliveries are canceled and the secret is deleted. The delivery log is kept."
              title="Delete this endpoint?"
              warning={`Nothing more will be sent to ${shortAddress(endpoint().url)}. Queued deliveries are canceled. This can't be undone.`}
              done={`Deleted ${shortAddress(endpoint().url)}.`}
              run={() => ask(api.console.endpoints({ id: props.id }).delete())}
              onDone={endpoints.changed}
              list={LIST.href}
            />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Lead(props: { endpoint: Endpoint }) {
  return (
    <>
      <StateBadge state={shownStateOf(props.endpoint)} /> Registered{' '}
      <RelativeTime at={props.endpoint.createdAt} isLong />, <span class="mono">{props.endpoint.id}</span>
    </>
  )
}

function OnOff(props: { endpoint: Endpoint }) {
  const one = () => api.console.endpoints({ id: props.endpoint.id })
  return (
    <OnOffButton
      isOn={props.endpoint.isOn}
      texts={{ on: 'Turn off', off: 'Turn on' }}
      run={(isOn): Promise<Endpoint> => (isOn ? ask(one().enable.post()) : ask(one().disable.post()))}
      onDone={(endpoint) => {
        endpoints.show(endpoint)
        void queries.invalidateQueries({ queryKey: queryKeys.deliveries })
        const done = endpoint.isOn ? 'Endpoint on. Queued deliveries are being sent.' : 'Endpoint off.'
        return { done, isOn: endpoint.isOn }
      }}
    />
  )
}

/** Success rate of recent deliveries, and the latest error. */
function EndpointHealth(props: { endpoint: Endpoint }) {
  const health = () => props.endpoint.health
  return (
    <>
      <Show when={offSentence(props.endpoint)}>{(sentence) => <p class="notice">{sentence()}</p>}</Show>
      <DetailList
        items={{
          Deliveries: healthSentence(props.endpoint),
          'Last success': timeOr(health().lastSuccessAt, 'None yet'),
          'Last error': (
            <Show when={health().lastError} fallback="None yet">
              {(error) => (
                <>
                  {error().sentence} <span class="muted">{timeOr(health().lastErrorAt, '')}</span>
                </>
              )}
            </Show>
          ),
          'Failing since': health().failingSince ? timeOr(health().failingSince, '') : undefined,
        }}
      />
    </>
  )
}

/** Why the endpoint is off and what to do. Undefined while it is on. */
function offSentence({ offReason }: Endpoint): string | undefined {
  switch (offReason) {
    case null:
      return undefined
    case 'manual':
      return 'Turned off manually. New deliveries are queued until you turn it on.'
    case 'failing':
      return 'Turned off after failing for 5 days. Deliveries are queued: fix it, send a test, then turn it on.'
    case 'gone':
      return 'Turned off because it returned 410 Gone. Deliveries are queued until you turn it on.'
  }
}

/** Sends a sample event and shows the result. */
function TestDelivery(props: { endpoint: Endpoint }) {
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
        <div class="row">
          <Select label="Event" isLabelHidden options={EVENT_OPTIONS} value={event()} onChange={setEvent} />
          <Button onClick={() => send.mutate()} isBusy={send.isPending}>
            Send test delivery
          </Button>
        </div>
        <FormProblem error={send.error} />
        <Show when={send.data?.deliveryId} keyed>
          {(id) => <TestOutcome id={id} />}
        </Show>
      </div>
    </Section>
  )
}

function TestOutcome(props: { id: string }) {
  const query = useQuery(() => ({
    ...deliveryQuery(props.id),
    refetchInterval: ({ state }) => (state.data && !isMoving(state.data) ? false : MOVING_REFETCH_MS),
  }))
  return (
    <p class="row" role="status">
      <Show when={query.data} fallback={<span class="muted">Sending…</span>}>
        {(delivery) => (
          <>
            <StateBadge state={DELIVERY_STATES[delivery().state]} />
            <span>{attemptSentence(delivery())}</span>
            <a href={`/settings/deliveries/${props.id}`}>View delivery</a>
          </>
        )}
      </Show>
    </p>
  )
}

/** Edits the URL, events, filters and description of an endpoint. */
function EditEndpoint(props: { endpoint: Endpoint }) {
  const form = createEndpointForm({
    what: 'the endpoint',
    endpoint: () => props.endpoint,
    save: (values) => ask(api.console.endpoints({ id: props.endpoint.id }).patch(values)),
    onSaved: (endpoint) => {
      endpoints.show(endpoint)
      return 'Endpoint saved.'
    },
  })
  return (
    <Section title="Settings" text="If you change the URL, deliveries in progress still go to the old one.">
      <CardForm form={form} action="Save">
        <EndpointFields form={form} />
      </CardForm>
    </Section>
  )
}

/** Resends everything that failed since a given time, after an outage of the receiver. */
function ResendFailed(props: { endpoint: Endpoint }) {
  return (
    <Section
      title="Resend failed deliveries"
      text="After an outage: resends every failed delivery, with the same id and body."
    >
      <Show
        when={props.endpoint.isOn}
        fallback={<p class="muted">Turn the endpoint on first. That also sends everything queued.</p>}
      >
        <ResendForm endpointId={props.endpoint.id} />
      </Show>
    </Section>
  )
}

/** Sends events of a time again, for a receiver that is new or has lost what it got. */
function ReplayEvents(props: { endpoint: Endpoint }) {
  return (
    <Section
      title="Replay events"
      text="For a receiver that missed events or lost them: sends again what happened in a period and passes its filters."
    >
      <Show when={props.endpoint.isOn} fallback={<p class="muted">Turn the endpoint on first.</p>}>
        <ReplayForm endpointId={props.endpoint.id} />
      </Show>
    </Section>
  )
}

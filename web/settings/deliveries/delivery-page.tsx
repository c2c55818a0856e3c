import { useQuery } from '@tanstack/solid-query'
import RotateCw from 'lucide-solid/icons/rotate-cw'
import { For, Show } from 'solid-js'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CodeBlock, formatJson } from '../code-block.tsx'
import { DetailList } from '../detail-list.tsx'
import { shortAddress } from '../endpoints/endpoint-data.ts'
import { Page, Section } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { Timestamp } from '../timestamp.tsx'
import { AttemptCard } from './attempt-card.tsx'
import { type DeliveryDetail, deliveryQuery, isMoving } from './delivery-data.ts'
import { DeliveryStateBadge, STATE_WORDS } from './delivery-state.tsx'
import { Headers } from './headers.tsx'
import { canResend, useResend } from './resend.ts'

const BACK = { href: '/settings/deliveries', name: 'Delivery log' }
const REFETCH_MS = 1_000

/** One delivery: the request, and every attempt with its response. */
export function DeliveryPage(props: { id: string }) {
  const query = useQuery(() => ({
    ...deliveryQuery(props.id),
    reconcile: 'number',
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? REFETCH_MS : false),
  }))
  const resend = useResend()
  return (
    <Page
      title="Delivery"
      back={BACK}
      lead={<span class="mono">{props.id}</span>}
      actions={
        <Show when={query.data}>
          {(delivery) => (
            <Button
              icon={<RotateCw />}
              isBusy={resend.isPending || delivery().state === 'in_flight'}
              disabled={!canResend(delivery()) && delivery().state !== 'in_flight'}
              onClick={() => resend.mutate({ id: props.id })}
            >
              Resend
            </Button>
          )}
        </Show>
      }
    >
      <QueryView query={query} what="the delivery">
        {(delivery) => (
          <>
            <Summary delivery={delivery()} />
            <Section
              title="Attempts"
              text="Newest first. Failures are retried up to 3 times."
              actions={<DocsLink to="/docs/webhooks#the-delivery-log">What errors mean</DocsLink>}
            >
              <Show when={delivery().history.length > 0} fallback={<p class="muted">Not sent yet.</p>}>
                <ol class="attempt-card-list">
                  <For each={[...delivery().history].reverse()}>
                    {(attempt, place) => <AttemptCard attempt={attempt} isOpen={place() === 0} />}
                  </For>
                </ol>
              </Show>
            </Section>
            <Request delivery={delivery()} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Summary(props: { delivery: DeliveryDetail }) {
  return (
    <DetailList
      items={[
        {
          name: 'State',
          value: (
            <>
              <DeliveryStateBadge state={props.delivery.state} />{' '}
              <span class="muted">{STATE_WORDS[props.delivery.state].hint}</span>
            </>
          ),
        },
        {
          name: 'Event',
          value: (
            <>
              <span class="mono">{props.delivery.event}</span>{' '}
              <Show when={props.delivery.isTest}>
                <Badge>test</Badge>
              </Show>
            </>
          ),
        },
        {
          name: 'Endpoint',
          value: (
            <a href={`/settings/endpoints/${props.delivery.endpointId}`}>
              {shortAddress(props.delivery.url)}
            </a>
          ),
        },
        {
          name: 'Ticket',
          value: (
            <Show when={props.delivery.ticketId} fallback="None (test)">
              {(id) => (
                <a class="mono" href={`/inbox/open/${id()}`}>
                  {id()}
                </a>
              )}
            </Show>
          ),
        },
        { name: 'Created', value: <Timestamp at={props.delivery.createdAt} /> },
        {
          name: 'Next attempt',
          value: (
            <Show when={props.delivery.nextAttemptAt} fallback="None">
              {(at) => <RelativeTime at={at()} isLong />}
            </Show>
          ),
        },
      ]}
    />
  )
}

/** The request. Every attempt sends the same bytes. */
function Request(props: { delivery: DeliveryDetail }) {
  const headers = () => props.delivery.history.at(-1)?.requestHeaders
  return (
    <Section
      title="Request"
      text="Every attempt and resend has the same body. The headers shown are from the latest attempt."
    >
      <Show when={headers()}>{(known) => <Headers label="Request headers" headers={known()} />}</Show>
      <Show
        when={props.delivery.body}
        fallback={<p class="muted">No longer stored. Bodies are deleted after 30 days.</p>}
      >
        {(body) => <CodeBlock label="Request body" code={formatJson(body())} isTall />}
      </Show>
    </Section>
  )
}

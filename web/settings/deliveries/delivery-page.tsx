import { useQuery } from '@tanstack/solid-query'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleX from 'lucide-solid/icons/circle-x'
import RotateCw from 'lucide-solid/icons/rotate-cw'
import SendHorizontal from 'lucide-solid/icons/send-horizontal'
import { For, Match, Show, Switch } from 'solid-js'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CodeBlock, formatJson } from '../code-block.tsx'
import { DetailList, StateBadge, TicketLink, Timestamp, timeOr } from '../detail-list.tsx'
import { Disclosure } from '../disclosure.tsx'
import { shortAddress } from '../endpoints/endpoint-data.ts'
import { Page, Section } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import {
  type Attempt,
  DELIVERY_STATES,
  type DeliveryDetail,
  deliveryQuery,
  isMoving,
  responseSentence,
} from './delivery-data.ts'
import { canResend, useResend } from './resend.tsx'
import './deliveries.css'

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
                <ol class="entry-list panel">
                  <For each={[...delivery().history].reverse()}>
                    {(attempt, place) => <AttemptRow attempt={attempt} isOpen={place() === 0} />}
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
      items={{
        State: (
          <>
            <StateBadge state={DELIVERY_STATES[props.delivery.state]} />{' '}
            <span class="muted">{DELIVERY_STATES[props.delivery.state].hint}</span>
          </>
        ),
        Event: (
          <>
            <span class="mono">{props.delivery.event}</span>{' '}
            <Show when={props.delivery.isTest}>
              <Badge>test</Badge>
            </Show>
          </>
        ),
        Endpoint: (
          <a href={`/settings/endpoints/${props.delivery.endpointId}`}>{shortAddress(props.delivery.url)}</a>
        ),
        Ticket: <TicketLink id={props.delivery.ticketId} otherwise="None (test)" />,
        Created: <Timestamp at={props.delivery.createdAt} />,
        'Next attempt': timeOr(props.delivery.nextAttemptAt, 'None'),
      }}
    />
  )
}

/** One attempt. Opens to show the response. */
function AttemptRow(props: { attempt: Attempt; isOpen: boolean }) {
  return (
    <li>
      <Disclosure
        class="delivery-page-attempt"
        isOpen={props.isOpen}
        isMarkLast
        summary={
          <>
            <Outcome attempt={props.attempt} />
            <span class="entry-words">
              <span class="entry-title">
                Attempt {props.attempt.number}
                <Show when={props.attempt.kind !== 'scheduled'}>
                  <Badge>{props.attempt.kind === 'manual' ? 'resent' : 'test'}</Badge>
                </Show>
              </span>
              <span class="muted">{outcomeSentence(props.attempt)}</span>
            </span>
            <span class="delivery-page-figures entry-facts">
              <Show when={props.attempt.durationMs !== null}>
                <span>{props.attempt.durationMs?.toLocaleString('en')} ms</span>
              </Show>
              <RelativeTime at={props.attempt.startedAt} />
            </span>
          </>
        }
      >
        <Response attempt={props.attempt} />
      </Disclosure>
    </li>
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
      <Show when={headers()}>{(sent) => <Headers label="Request headers" headers={sent()} />}</Show>
      <Show
        when={props.delivery.body}
        fallback={<p class="muted">No longer stored. Bodies are deleted after 30 days.</p>}
      >
        {(body) => <CodeBlock label="Request body" code={formatJson(body())} isTall />}
      </Show>
    </Section>
  )
}

function Outcome(props: { attempt: Attempt }) {
  return (
    <Switch
      fallback={
        <SendHorizontal class="delivery-page-icon" data-tone="grey" aria-label="Sending" role="img" />
      }
    >
      <Match when={props.attempt.succeeded === true}>
        <CircleCheck class="delivery-page-icon" data-tone="green" aria-label="Succeeded" role="img" />
      </Match>
      <Match when={props.attempt.succeeded === false}>
        <CircleX class="delivery-page-icon" data-tone="red" aria-label="Failed" role="img" />
      </Match>
    </Switch>
  )
}

/** The response, as far as it is stored. */
function Response(props: { attempt: Attempt }) {
  return (
    <div class="delivery-page-response stack-tight">
      <Show when={props.attempt.detail}>
        <p class="muted small">{props.attempt.detail}</p>
      </Show>
      <Show when={props.attempt.responseHeaders}>
        {(headers) => <Headers label="Response headers" headers={headers()} />}
      </Show>
      <Show
        when={props.attempt.responseBody}
        fallback={
          <p class="muted small">
            {props.attempt.status === null ? 'No response.' : 'Empty, or no longer stored.'}
          </p>
        }
      >
        {(body) => (
          <>
            <CodeBlock label="Response body" code={formatJson(body())} />
            <Show when={props.attempt.isResponseBodyCut}>
              <p class="muted small">Truncated.</p>
            </Show>
          </>
        )}
      </Show>
    </div>
  )
}

function outcomeSentence({ succeeded, status, error }: Attempt): string {
  return succeeded === null ? 'Sending…' : responseSentence(status, error)
}

/** Headers of a request or response. Closed at first. */
function Headers(props: { label: string; headers: Record<string, string> }) {
  const entries = () => Object.entries(props.headers)
  return (
    <Disclosure
      class="delivery-page-headers"
      summary={
        <>
          {props.label} <span class="muted">({entries().length})</span>
        </>
      }
    >
      <dl>
        <For each={entries()}>
          {([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          )}
        </For>
      </dl>
    </Disclosure>
  )
}

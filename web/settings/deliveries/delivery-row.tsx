import RotateCw from 'lucide-solid/icons/rotate-cw'
import { Show } from 'solid-js'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { shortAddress } from '../endpoints/endpoint-data.ts'
import { attemptSentence, type Delivery } from './delivery-data.ts'
import { DeliveryStateBadge } from './delivery-state.tsx'
import { canResend, useResend } from './resend.ts'
import './delivery-row.css'

/** One delivery in the log: state, event, endpoint and time. */
export function DeliveryRow(props: { delivery: Delivery }) {
  const resend = useResend()
  return (
    <li class="delivery-row">
      <a class="entry-link delivery-row-columns" href={`/settings/deliveries/${props.delivery.id}`}>
        <span class="delivery-row-state">
          <DeliveryStateBadge state={props.delivery.state} />
        </span>
        <span class="delivery-row-event mono">
          {props.delivery.event}
          <Show when={props.delivery.isTest}>
            <Badge>test</Badge>
          </Show>
        </span>
        <span class="delivery-row-url" title={props.delivery.url}>
          {shortAddress(props.delivery.url)}
        </span>
        <span class="delivery-row-error">{errorText(props.delivery)}</span>
        <span class="delivery-row-time">
          <Show when={props.delivery.attempts > 1}>
            <span>{props.delivery.attempts} attempts</span>
          </Show>
          <RelativeTime at={props.delivery.createdAt} />
        </span>
      </a>
      <IconButton
        name="Resend"
        size="small"
        isBusy={resend.isPending}
        disabled={!canResend(props.delivery)}
        onClick={() => resend.mutate(props.delivery)}
      >
        <RotateCw />
      </IconButton>
    </li>
  )
}

/** The state already says the rest. */
function errorText(delivery: Delivery): string {
  return delivery.lastError && delivery.state !== 'succeeded' ? attemptSentence(delivery) : ''
}

import ChevronRight from 'lucide-solid/icons/chevron-right'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleX from 'lucide-solid/icons/circle-x'
import SendHorizontal from 'lucide-solid/icons/send-horizontal'
import { Match, Show, Switch } from 'solid-js'
import { Badge } from '../../ui/badge.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { CodeBlock, formatJson } from '../code-block.tsx'
import { type Attempt, responseSentence } from './delivery-data.ts'
import { Headers } from './headers.tsx'
import './attempt-card.css'
import './disclosure.css'

/** One attempt. Opens to show the response. */
export function AttemptCard(props: { attempt: Attempt; isOpen: boolean }) {
  return (
    <li>
      <details class="disclosure attempt-card" open={props.isOpen}>
        <summary>
          <Outcome attempt={props.attempt} />
          <span class="attempt-card-words">
            <span class="attempt-card-title">
              Attempt {props.attempt.number}
              <Show when={props.attempt.kind !== 'scheduled'}>
                <Badge>{props.attempt.kind === 'manual' ? 'resent' : 'test'}</Badge>
              </Show>
            </span>
            <span class="muted">{outcomeSentence(props.attempt)}</span>
          </span>
          <span class="attempt-card-figures">
            <Show when={props.attempt.durationMs !== null}>
              <span>{props.attempt.durationMs?.toLocaleString('en')} ms</span>
            </Show>
            <RelativeTime at={props.attempt.startedAt} />
          </span>
          <ChevronRight class="disclosure-mark" />
        </summary>
        <Response attempt={props.attempt} />
      </details>
    </li>
  )
}

function Outcome(props: { attempt: Attempt }) {
  return (
    <Switch fallback={<SendHorizontal class="attempt-card-icon" aria-label="Sending" role="img" />}>
      <Match when={props.attempt.succeeded === true}>
        <CircleCheck class="attempt-card-icon is-good" aria-label="Succeeded" role="img" />
      </Match>
      <Match when={props.attempt.succeeded === false}>
        <CircleX class="attempt-card-icon is-bad" aria-label="Failed" role="img" />
      </Match>
    </Switch>
  )
}

/** The response, as far as it is stored. */
function Response(props: { attempt: Attempt }) {
  return (
    <div class="attempt-card-response">
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

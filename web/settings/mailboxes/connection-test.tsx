import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleMinus from 'lucide-solid/icons/circle-minus'
import CircleX from 'lucide-solid/icons/circle-x'
import { type Component, For, onMount, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import type { Answer, api } from '../../api/api.ts'
import type { Tone } from '../../ui/badge.tsx'
import { PLAIN_ANSWERS } from './mailbox-data.ts'

export type ConnectionTest = Answer<typeof api.console.mailboxes.test.post>
type Step = ConnectionTest['steps'][number]

const SIDES: Record<Step['side'], string> = {
  imap: 'Receive (IMAP)',
  smtp: 'Send (SMTP)',
  both: 'Round trip',
}
const STEPS: Record<Step['step'], string> = {
  name: 'Find the server',
  connection: 'Connect',
  tls: 'Encrypt',
  sign_in: 'Sign in',
  folder: 'Open the folders',
  message: 'Send a message to itself and receive it',
}
const MARKS: Record<
  Step['state'],
  { icon: Component<{ class: string; role: 'img'; 'aria-label': string }>; name: string; tone: Tone }
> = {
  ok: { icon: CircleCheck, name: 'Passed', tone: 'green' },
  failed: { icon: CircleX, name: 'Failed', tone: 'red' },
  skipped: { icon: CircleMinus, name: 'Not tried', tone: 'grey' },
}

/** Each step of a test with its result, and what to do about the one that failed. */
export function TestResult(props: { test: ConnectionTest }) {
  const sides = () => [...new Set(props.test.steps.map(({ side }) => side))]
  let result: HTMLDivElement | undefined
  // It is below a long form.
  onMount(() => result?.scrollIntoView({ block: 'nearest' }))
  return (
    <div class="connection-test stack-tight" role="status" ref={result}>
      <p>
        {props.test.isOk
          ? 'Everything works. A message left this mailbox and came back.'
          : 'Not everything works yet.'}
      </p>
      <Show when={props.test.learned.hasSubaddresses === false}>
        <p>{PLAIN_ANSWERS}</p>
      </Show>
      <div class="connection-test-sides">
        <For each={sides()}>
          {(side) => (
            <section aria-label={SIDES[side]}>
              <h3>{SIDES[side]}</h3>
              <ol>
                <For each={props.test.steps.filter((step) => step.side === side)}>
                  {(step) => <StepLine step={step} />}
                </For>
              </ol>
            </section>
          )}
        </For>
      </div>
    </div>
  )
}

function StepLine(props: { step: Step }) {
  const mark = () => MARKS[props.step.state]
  return (
    <li class="connection-test-step" data-tone={mark().tone}>
      <Dynamic component={mark().icon} class="connection-test-mark" role="img" aria-label={mark().name} />
      <div>
        <p>{STEPS[props.step.step]}</p>
        <Show when={props.step.detail}>{(detail) => <p class="connection-test-detail">{detail()}</p>}</Show>
        <Show when={props.step.advice}>
          {(advice) => (
            <p>
              {advice()}{' '}
              <Show when={props.step.link}>
                {(link) => (
                  <a href={link()} target="_blank" rel="noreferrer">
                    Open your provider
                  </a>
                )}
              </Show>
            </p>
          )}
        </Show>
      </div>
    </li>
  )
}

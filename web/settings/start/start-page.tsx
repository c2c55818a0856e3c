import { useQuery } from '@tanstack/solid-query'
import ChevronRight from 'lucide-solid/icons/chevron-right'
import Circle from 'lucide-solid/icons/circle'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleDashed from 'lucide-solid/icons/circle-dashed'
import { type Component, For, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { checklistQuery, countSteps, type FirstSteps } from '../../api/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { Loaded } from '../loaded.tsx'
import { Page } from '../page.tsx'
import './start.css'

type Step = FirstSteps[number]['id']
type StepState = FirstSteps[number]['state']

const STEPS: Record<Step, { title: string; text: string; href: string }> = {
  key: {
    title: 'Create an API key',
    text: 'Your own programs create and read tickets with it.',
    href: '/settings/keys',
  },
  email: {
    title: 'Connect e-mail',
    text: 'Mail to your support address becomes tickets, and replies go out as mail.',
    href: '/settings/email',
  },
  widget: {
    title: 'Paste the widget snippet',
    text: 'Visitors of your website write to you from any page.',
    href: '/settings/widget',
  },
  telegram: {
    title: 'Add a Telegram bot',
    text: 'Messages to your bot become tickets.',
    href: '/settings/telegram',
  },
  agents: {
    title: 'Invite an agent',
    text: 'Share the work: a link is all that a colleague needs.',
    href: '/settings/agents',
  },
  endpoint: {
    title: 'Register a webhook endpoint',
    text: 'Your own systems hear of every new ticket and message.',
    href: '/settings/endpoints',
  },
}

const MARKS: Record<
  StepState,
  { icon: Component<{ class: string; role: 'img'; 'aria-label': string }>; name: string }
> = {
  done: { icon: CircleCheck, name: 'Done' },
  todo: { icon: Circle, name: 'To do' },
  later: { icon: CircleDashed, name: 'Later' },
}

/** The first steps of an organization; each leads to its page. */
export function StartPage() {
  // What is done elsewhere, such as by a command, counts too.
  const query = useQuery(() => ({ ...checklistQuery, reconcile: 'id', staleTime: 0 }))
  return (
    <Page title="Start" lead="The first steps. Do them in any order, and leave out what you do not need.">
      <Loaded query={query} what="The first steps" rows={6}>
        {(list) => (
          <>
            <Progress steps={list().data} />
            <ol class="entries">
              <For each={list().data}>{(step) => <StepRow id={step.id} state={step.state} />}</For>
            </ol>
            <p class="muted">
              Connecting your own software? Read <DocsLink to="/docs/api">Use the API</DocsLink> and{' '}
              <DocsLink to="/docs/webhooks">Webhooks</DocsLink>.
            </p>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Progress(props: { steps: FirstSteps }) {
  const count = () => countSteps(props.steps)
  const words = () =>
    count().done === count().possible ? 'All done.' : `${count().done} of ${count().possible} done`
  return (
    <div class="progress">
      <progress max={count().possible} value={count().done} aria-label="First steps done" />
      <span class="muted">{words()}</span>
    </div>
  )
}

function StepRow(props: { id: Step; state: StepState }) {
  const step = () => STEPS[props.id]
  const mark = () => MARKS[props.state]
  return (
    <li>
      <a class="entry entry-link" href={step().href}>
        <Dynamic component={mark().icon} class={`step-${props.state}`} role="img" aria-label={mark().name} />
        <span class="entry-words">
          <span class="entry-title" classList={{ 'is-quiet': props.state !== 'todo' }}>
            {step().title}
            <Show when={props.state === 'later'}>
              <Badge>Not in this version</Badge>
            </Show>
          </span>
          <span class="entry-facts">{step().text}</span>
        </span>
        <ChevronRight class="muted" />
      </a>
    </li>
  )
}

import { useQuery } from '@tanstack/solid-query'
import ChevronRight from 'lucide-solid/icons/chevron-right'
import Circle from 'lucide-solid/icons/circle'
import CircleCheck from 'lucide-solid/icons/circle-check'
import { For, Show } from 'solid-js'
import type { Answer, api } from '../../api.ts'
import { checklistQuery } from '../../desk.ts'
import { Loaded } from '../loaded.tsx'
import { Page } from '../page.tsx'
import './start.css'

type Checklist = Answer<typeof api.console.checklist.get>['data']
type Step = Checklist[number]['id']

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
              <For each={list().data}>{(step) => <StepRow id={step.id} isDone={step.isDone} />}</For>
            </ol>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Progress(props: { steps: Checklist }) {
  const doneCount = () => props.steps.filter(({ isDone }) => isDone).length
  const words = () =>
    doneCount() === props.steps.length ? 'All done.' : `${doneCount()} of ${props.steps.length} done`
  return (
    <div class="progress">
      <progress max={props.steps.length} value={doneCount()} aria-label="First steps done" />
      <span class="muted">{words()}</span>
    </div>
  )
}

function StepRow(props: { id: Step; isDone: boolean }) {
  const step = () => STEPS[props.id]
  return (
    <li>
      <a class="entry entry-link" href={step().href}>
        <Show when={props.isDone} fallback={<Circle class="step-open" role="img" aria-label="To do" />}>
          <CircleCheck class="step-done" role="img" aria-label="Done" />
        </Show>
        <span class="entry-words">
          <span class="entry-title" classList={{ 'is-done': props.isDone }}>
            {step().title}
          </span>
          <span class="entry-facts">{step().text}</span>
        </span>
        <ChevronRight class="muted" />
      </a>
    </li>
  )
}

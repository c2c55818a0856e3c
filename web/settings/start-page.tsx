import { queryOptions, useQuery } from '@tanstack/solid-query'
import Circle from 'lucide-solid/icons/circle'
import CircleCheck from 'lucide-solid/icons/circle-check'
import { type Component, For, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { api, ask } from '../api/api.ts'
import { queryKeys } from '../api/query-keys.ts'
import { checklistQuery, countSteps, type FirstSteps } from '../api/workspace.ts'
import { DocsLink } from '../ui/docs-link.tsx'
import { Entry } from './entry.tsx'
import { Page } from './page.tsx'
import { QueryView } from './query-view.tsx'

/** The server indexes faster while nobody asks it anything. */
const ASK_PROGRESS_EVERY_MS = 10_000

const searchProgressQuery = queryOptions({
  queryKey: queryKeys.searchProgress,
  queryFn: () => ask(api.console['search-progress'].get()),
  staleTime: 0,
})

type Step = FirstSteps[number]['id']
type StepState = FirstSteps[number]['state']

const STEPS: Record<Step, { title: string; text: string; href: string }> = {
  key: {
    title: 'Create an API key',
    text: 'Lets your own software create and read tickets.',
    href: '/settings/keys',
  },
  email: {
    title: 'Connect email',
    text: 'Turn email to your support address into tickets, and reply by email.',
    href: '/settings/email',
  },
  widget: {
    title: 'Add the website widget',
    text: 'Let visitors contact you from any page of your website.',
    href: '/settings/widget',
  },
  telegram: {
    title: 'Add a Telegram bot',
    text: 'Turn messages to your bot into tickets.',
    href: '/settings/telegram',
  },
  agents: {
    title: 'Invite an agent',
    text: 'Send a colleague an invitation link.',
    href: '/settings/agents',
  },
  endpoint: {
    title: 'Register a webhook endpoint',
    text: 'Get notified of new tickets, messages, and changes.',
    href: '/settings/endpoints',
  },
}

const MARKS: Record<StepState, { icon: Component<{ role: 'img'; 'aria-label': string }>; name: string }> = {
  done: { icon: CircleCheck, name: 'Done' },
  todo: { icon: Circle, name: 'To do' },
}

/** The setup steps. Each links to its page. */
export function StartPage() {
  // Steps can also be done elsewhere, such as by a command.
  const query = useQuery(() => ({ ...checklistQuery, reconcile: 'id', staleTime: 0 }))
  return (
    <Page title="Getting started" lead="Set up in any order. Skip what you don't need.">
      <QueryView query={query} what="the steps" rows={6}>
        {(list) => (
          <>
            <Progress steps={list().data} />
            <ol class="entry-list panel">
              <For each={list().data}>{(step) => <StepRow id={step.id} state={step.state} />}</For>
            </ol>
            <p class="muted">
              Connecting your own software? Read <DocsLink to="/docs/api">Use the API</DocsLink> and{' '}
              <DocsLink to="/docs/webhooks">Webhooks</DocsLink>.
            </p>
            <SearchProgress />
          </>
        )}
      </QueryView>
    </Page>
  )
}

/** After an import, until every ticket can be found by its words. */
function SearchProgress() {
  const query = useQuery(() => ({
    ...searchProgressQuery,
    refetchInterval: ({ state }) => (state.data?.progress ? ASK_PROGRESS_EVERY_MS : false),
  }))
  return (
    <Show when={query.data?.progress}>
      {(progress) => (
        <div class="row">
          <progress
            class="start-page-progress"
            max={progress().total}
            value={progress().indexed}
            aria-label="Tickets that search finds"
          />
          <span class="muted">
            Search is being prepared: {progress().indexed.toLocaleString('en')} of{' '}
            {progress().total.toLocaleString('en')} tickets
          </span>
        </div>
      )}
    </Show>
  )
}

function Progress(props: { steps: FirstSteps }) {
  const count = () => countSteps(props.steps)
  return (
    <div class="row">
      <progress
        class="start-page-progress"
        max={count().possible}
        value={count().done}
        aria-label="Steps done"
      />
      <span class="muted">
        {count().done} of {count().possible} done
      </span>
    </div>
  )
}

function StepRow(props: { id: Step; state: StepState }) {
  const step = () => STEPS[props.id]
  const mark = () => MARKS[props.state]
  return (
    <Entry
      href={step().href}
      class={`start-page-step is-${props.state}`}
      icon={<Dynamic component={mark().icon} role="img" aria-label={mark().name} />}
      title={step().title}
      facts={[step().text]}
    />
  )
}

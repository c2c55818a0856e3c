import { useQuery } from '@tanstack/solid-query'
import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CirclePlay from 'lucide-solid/icons/circle-play'
import LoaderCircle from 'lucide-solid/icons/loader-circle'
import { type Accessor, type JSX, Show } from 'solid-js'
import { ask } from '../api/api.ts'
import type { createResource } from '../api/queries.ts'
import { useAction } from '../forms/action.tsx'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toaster.tsx'
import { type ShownState, StateBadge } from './detail-list.tsx'
import { Page, RemoveSection } from './page.tsx'
import { QueryView } from './query-view.tsx'

/** What a mailbox, a bot and a widget have in common. */
interface Account {
  id: string
  state: string
  /** The state in a sentence. */
  detail: string
}

type Asked<Data> = Parameters<typeof ask<Data>>[0]

interface AccountRoute<Item> {
  pause: { post(): Asked<Item> }
  resume: { post(): Asked<Item> }
  delete(): Asked<unknown>
}

interface AccountPageProps<Item extends Account> {
  id: string
  /** "mailbox". */
  noun: string
  /** The page that lists them. */
  list: { href: string; name: string }
  accounts: Pick<ReturnType<typeof createResource<Item, unknown>>, 'one' | 'show' | 'changed'>
  route: (id: string) => AccountRoute<Item>
  nameOf: (item: Item) => string
  stateOf: (item: Item) => ShownState
  /** Whether the sentence about the state is below the name. Otherwise the page has it as a notice. */
  saysDetail: (item: Item) => boolean
  /** Beside the state. */
  marks?: (item: Item) => JSX.Element
  actions?: (item: Item) => JSX.Element
  /** What refuses it can't be paused. */
  canPause: (item: Item) => boolean
  /** What is kept when it is removed, and what is not. */
  removal: (item: Item) => { name: string; text: string; warning: string }
  children: (item: Accessor<Item>) => JSX.Element
}

/** How the states that all accounts have are shown. */
export const ACCOUNT_STATES = {
  active: { word: 'Connected', tone: 'green', icon: CircleCheck },
  connecting: { word: 'Connecting', tone: 'amber', icon: LoaderCircle },
  failing: { word: 'Failing', tone: 'amber', icon: CircleAlert },
  paused: { word: 'Paused', tone: 'grey', icon: CirclePause },
} satisfies Record<string, ShownState>

const REFETCH_MS = 5_000

/** The page of one account: its state, pause and resume, its settings, and its removal. */
export function AccountPage<Item extends Account>(props: AccountPageProps<Item>) {
  const query = useQuery(() => ({
    ...props.accounts.one(props.id),
    reconcile: 'id',
    refetchInterval: REFETCH_MS,
  }))
  return (
    <Page
      title={query.data ? props.nameOf(query.data) : capitalized(props.noun)}
      back={props.list}
      lead={
        <Show when={query.data}>
          {(shown) => (
            <>
              <StateBadge state={props.stateOf(shown())} /> {props.marks?.(shown())}{' '}
              <Show when={props.saysDetail(shown())}>{shown().detail}</Show>
            </>
          )}
        </Show>
      }
      actions={
        <Show when={query.data}>
          {(shown) => (
            <>
              {props.actions?.(shown())}
              <Show when={props.canPause(shown())}>
                <PauseButton
                  item={shown()}
                  noun={capitalized(props.noun)}
                  route={props.route(props.id)}
                  onChange={props.accounts.show}
                />
              </Show>
            </>
          )}
        </Show>
      }
    >
      <QueryView query={query} what={`the ${props.noun}`}>
        {(shown) => (
          <>
            {props.children(shown)}
            <RemoveSection
              verb="Remove"
              noun={props.noun}
              title={`Remove ${props.removal(shown()).name}?`}
              text={props.removal(shown()).text}
              warning={props.removal(shown()).warning}
              word="remove"
              run={() => ask(props.route(props.id).delete())}
              onDone={props.accounts.changed}
              done={`Removed ${props.removal(shown()).name}.`}
              list={props.list.href}
            />
          </>
        )}
      </QueryView>
    </Page>
  )
}

interface PauseButtonProps<Item> {
  item: Item
  noun: string
  route: AccountRoute<Item>
  onChange: (item: Item) => void
}

/** Pauses or resumes an account. The toast takes it back. */
function PauseButton<Item extends Account>(props: PauseButtonProps<Item>) {
  const isPaused = () => props.item.state === 'paused'
  const pause = useAction(
    (isOn: boolean) => ask(isOn ? props.route.pause.post() : props.route.resume.post()),
    (item: Item) => {
      props.onChange(item)
      const isNowPaused = item.state === 'paused'
      toast(`${props.noun} ${isNowPaused ? 'paused' : 'resumed'}.`, {
        text: 'Undo',
        run: () => pause.mutate(!isNowPaused),
      })
    },
  )
  return (
    <Button
      look={isPaused() ? 'primary' : 'plain'}
      icon={isPaused() ? <CirclePlay /> : <CirclePause />}
      isBusy={pause.isPending}
      onClick={() => pause.mutate(!isPaused())}
    >
      {isPaused() ? 'Resume' : 'Pause'}
    </Button>
  )
}

function capitalized(noun: string): string {
  return `${noun[0]?.toUpperCase()}${noun.slice(1)}`
}

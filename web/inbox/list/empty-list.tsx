import CircleCheck from 'lucide-solid/icons/circle-check'
import Inbox from 'lucide-solid/icons/inbox'
import SearchX from 'lucide-solid/icons/search-x'
import { For, Match, Show, Switch } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FirstSteps, useIsFirstDay } from '../first-steps.tsx'
import type { Place } from '../location.ts'
import { SEARCH } from '../rail/views.ts'
import { SEARCH_KEYS } from '../search/search-words.ts'

/** Where somebody who has just begun looks for tickets. */
const FIRST_VIEWS: readonly string[] = ['mine', 'unassigned', 'open']

const TEXTS: Record<string, { title: string; text: string }> = {
  mine: { title: 'All done', text: 'No open ticket is assigned to you.' },
  unassigned: { title: 'Nothing waits', text: 'Every open ticket has somebody.' },
  open: { title: 'All done', text: 'No ticket is open.' },
  pending: { title: 'Nothing pending', text: 'Tickets that wait for their customer are listed here.' },
  resolved: { title: 'Nothing resolved yet', text: 'Tickets that are done are listed here.' },
  failed: { title: 'Everything was sent', text: 'Replies that could not be sent are listed here.' },
  held: {
    title: 'No reply is held',
    text: 'Replies that were not sent because somebody else answered first are listed here.',
  },
  spam: { title: 'No spam', text: 'Tickets marked as spam are kept here, away from the other lists.' },
}

/** What stands where a list has no tickets. */
export function EmptyList(props: { place: Place }) {
  const id = () => props.place.viewId()
  const isFirstDay = useIsFirstDay()
  const isBeginning = () => (FIRST_VIEWS.includes(id()) ? isFirstDay() : false)
  const texts = () => TEXTS[id()] ?? { title: 'No tickets', text: 'No ticket fits this list at the moment.' }
  return (
    <div class="list-empty">
      <Switch>
        <Match when={props.place.isGone()}>
          <EmptyState
            icon={<SearchX />}
            title="This view is gone"
            text="It was deleted, or it is not shared with you."
            action={<Button onClick={() => props.place.openView('mine')}>Go to My open</Button>}
          />
        </Match>
        <Match when={isBeginning()}>
          <FirstSteps />
        </Match>
        <Match when={id() === SEARCH}>
          <EmptyState
            icon={<SearchX />}
            title="Nothing found"
            text="Try fewer or other words, or one of these:"
          />
          <dl class="grammar">
            <For each={SEARCH_KEYS}>
              {({ text, detail }) => (
                <div>
                  <dt>
                    <code>{text}</code>
                  </dt>
                  <dd>{detail}</dd>
                </div>
              )}
            </For>
          </dl>
        </Match>
        <Match when={isBeginning() === false}>
          <EmptyState
            icon={id() === 'mine' ? <CircleCheck /> : <Inbox />}
            title={texts().title}
            text={texts().text}
          />
        </Match>
      </Switch>
      <Show when={id() === 'mine' && isBeginning() === false}>
        <p class="list-empty-hint">
          <Button size="small" look="quiet" keys="g u" onClick={() => props.place.openView('unassigned')}>
            See unassigned tickets
          </Button>
        </p>
      </Show>
    </div>
  )
}

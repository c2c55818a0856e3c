import { useQuery } from '@tanstack/solid-query'
import ChevronRight from 'lucide-solid/icons/chevron-right'
import MessageCircle from 'lucide-solid/icons/message-circle'
import Plus from 'lucide-solid/icons/plus'
import { createSignal, For, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Page } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { BlockedVisitors } from './blocked-visitors.tsx'
import { NewWidget } from './new-widget.tsx'
import { type Widget, widgetsQuery } from './widget-data.ts'
import { WidgetState } from './widget-state.tsx'

const REFETCH_MS = 10_000

/** The widgets of the organization. */
export function WidgetsPage() {
  const query = useQuery(() => ({ ...widgetsQuery, reconcile: 'id', refetchInterval: REFETCH_MS }))
  const [isAdding, setAdding] = createSignal(false)
  const add = () => (
    <Button look="primary" icon={<Plus />} onClick={() => setAdding(true)}>
      Add widget
    </Button>
  )
  return (
    <Page
      title="Website widget"
      lead={
        <>
          Visitors write to you from the corner of any page. Each conversation becomes a ticket.{' '}
          <DocsLink to="/docs/widget">Add the chat to your website</DocsLink> explains each step.
        </>
      }
      actions={add()}
    >
      <QueryView query={query} what="widgets" rows={2}>
        {(list) => (
          <Show
            when={list().data.length > 0}
            fallback={
              <EmptyState
                icon={<MessageCircle />}
                title="No widgets yet"
                text="Add one for each website or brand. You get a snippet to paste into its pages."
                action={add()}
              />
            }
          >
            <ul class="entry-list" aria-label="Widgets">
              <For each={list().data}>{(widget) => <WidgetRow widget={widget} />}</For>
            </ul>
          </Show>
        )}
      </QueryView>
      <BlockedVisitors />
      <NewWidget isOpen={isAdding()} onClose={() => setAdding(false)} />
    </Page>
  )
}

function WidgetRow(props: { widget: Widget }) {
  return (
    <li>
      <a class="entry entry-link" href={`/settings/widget/${props.widget.id}`}>
        <span class="entry-words">
          <span class="entry-title">
            {props.widget.name}
            <WidgetState widget={props.widget} />
          </span>
          <span class="entry-facts">
            <span>{props.widget.origins.join(', ')}</span>
            <Show when={props.widget.seen}>
              {(seen) => (
                <span>
                  Seen <RelativeTime at={seen().at} isLong />
                </span>
              )}
            </Show>
          </span>
          <Show when={props.widget.state === 'disabled'}>
            <span class="entry-error">{props.widget.detail}</span>
          </Show>
        </span>
        <ChevronRight class="muted" />
      </a>
    </li>
  )
}

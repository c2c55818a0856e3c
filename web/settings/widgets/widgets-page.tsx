import { useNavigate } from '@solidjs/router'
import { queryOptions, useQuery } from '@tanstack/solid-query'
import MessageCircle from 'lucide-solid/icons/message-circle'
import { For, type JSX, Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { ActionButton } from '../../forms/action.tsx'
import { createForm } from '../../forms/create-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { Badge } from '../../ui/badge.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { StateBadge } from '../detail-list.tsx'
import { Ago, Entry } from '../entry.tsx'
import { Section } from '../page.tsx'
import { ListPage } from '../query-view.tsx'
import { shownStateOf, WIDGETS_PAGE, type Widget, websiteOf, widgets } from './widget-data.ts'

const REFETCH_MS = 10_000

/** The widgets of the organization. */
export function WidgetsPage() {
  const query = useQuery(() => ({ ...widgets.list, reconcile: 'id', refetchInterval: REFETCH_MS }))
  return (
    <ListPage
      title="Website widget"
      lead={
        <>
          Visitors write to you from the corner of any page. Each conversation becomes a ticket.{' '}
          <DocsLink to="/docs/widget">Add the chat to your website</DocsLink> explains each step.
        </>
      }
      query={query}
      what="widgets"
      label="Widgets"
      add={{ text: 'Add widget', dialog: (close) => <NewWidget onClose={close} /> }}
      empty={{
        icon: <MessageCircle />,
        title: 'No widgets yet',
        text: 'Add one for each website or brand. You get a snippet to paste into its pages.',
      }}
      row={(widget) => <WidgetRow widget={widget} />}
    >
      <BlockedVisitors />
    </ListPage>
  )
}

function WidgetRow(props: { widget: Widget }) {
  return (
    <Entry
      href={`${WIDGETS_PAGE.href}/${props.widget.id}`}
      title={
        <>
          {props.widget.name}
          <StateBadge state={shownStateOf(props.widget)} />
        </>
      }
      facts={[
        props.widget.origins.join(', '),
        props.widget.seen && <Ago words="Seen" at={props.widget.seen.at} />,
      ]}
      error={props.widget.state === 'disabled' && props.widget.detail}
    />
  )
}

/** Adds a widget, then opens its page with the snippet. */
function NewWidget(props: { onClose: () => void }) {
  const session = useSession()
  const navigate = useNavigate()
  const form = createForm({
    values: () => ({ name: session().organization.name, origin: '' }),
    save: ({ name, origin }) => ask(api.console.widgets.post({ name, origins: [websiteOf(origin)] })),
    onSaved: ({ widget }) => {
      widgets.show(widget)
      props.onClose()
      navigate(`${WIDGETS_PAGE.href}/${widget.id}`)
    },
  })
  return (
    <FormDialog form={form} title="New widget" action="Add widget" onClose={props.onClose}>
      <TextField {...form.text('name')} label="Name" hint="Only your team sees it." required />
      <TextField
        {...form.text('origin', 'origins')}
        label="Website"
        hint="Where the widget may appear. You can add more websites later."
        placeholder="https://example.com"
        inputmode="url"
        autocomplete="url"
        required
      />
    </FormDialog>
  )
}

type Blocked = Answer<typeof api.console.blocked.get>

/** The server returns no more of each kind. */
const MAX_SHOWN = 500

const blockedQuery = queryOptions({
  queryKey: queryKeys.blocked,
  queryFn: () => ask(api.console.blocked.get()),
})

/** Who can't write in any widget, and how to let them write again. Nothing while there is no one. */
function BlockedVisitors() {
  const query = useQuery(() => blockedQuery)
  const isEmpty = ({ visitors, addresses }: Blocked) => visitors.length + addresses.length === 0
  const isCut = ({ visitors, addresses }: Blocked) => Math.max(visitors.length, addresses.length) >= MAX_SHOWN
  return (
    <Show when={query.data && !isEmpty(query.data) && query.data}>
      {(list) => (
        <Section
          title="Blocked"
          text="They can't write or read in the chat. Block someone from their ticket."
        >
          <ul class="entry-list panel" aria-label="Blocked">
            <For each={list().visitors}>{(visitor) => <VisitorRow visitor={visitor} />}</For>
            <For each={list().addresses}>{(address) => <AddressRow blocked={address} />}</For>
          </ul>
          <Show when={isCut(list())}>
            <p class="muted small">Only the newest {MAX_SHOWN} of each kind are shown.</p>
          </Show>
        </Section>
      )}
    </Show>
  )
}

function VisitorRow(props: { visitor: Blocked['visitors'][number] }) {
  const name = () => props.visitor.name || props.visitor.email || 'Visitor without a name'
  return (
    <BlockedRow
      name={name()}
      unblock={() => ask(api.console.blocked.visitors({ id: props.visitor.id }).delete())}
      title={
        <>
          {name()}
          <Show when={props.visitor.isVerified} fallback={<Badge tone="amber">Not verified</Badge>}>
            <Badge tone="green">Verified</Badge>
          </Show>
        </>
      }
      blockedAt={props.visitor.blockedAt}
      facts={[
        props.visitor.email !== name() && props.visitor.email,
        props.visitor.widgetName,
        props.visitor.ticketId && <a href={`/inbox/open/${props.visitor.ticketId}`}>Newest conversation</a>,
      ]}
    />
  )
}

function AddressRow(props: { blocked: Blocked['addresses'][number] }) {
  return (
    <BlockedRow
      name={props.blocked.address}
      unblock={() => ask(api.console.blocked.addresses({ address: props.blocked.address }).delete())}
      title={<span class="mono">{props.blocked.address}</span>}
      blockedAt={props.blocked.blockedAt}
      facts={['Everyone with this IP address', props.blocked.agentName && `By ${props.blocked.agentName}`]}
    />
  )
}

function BlockedRow(props: {
  name: string
  title: JSX.Element
  blockedAt: string
  unblock: () => Promise<unknown>
  facts: JSX.Element[]
}) {
  const unblock = () =>
    props.unblock().finally(() => queries.invalidateQueries({ queryKey: queryKeys.blocked }))
  return (
    <Entry
      title={props.title}
      facts={[...props.facts, <Ago words="Blocked" at={props.blockedAt} />]}
      actions={
        <ActionButton
          size="small"
          look="quiet"
          run={unblock}
          onDone={() => `Unblocked ${props.name}`}
          aria-label={`Unblock ${props.name}`}
        >
          Unblock
        </ActionButton>
      }
    />
  )
}

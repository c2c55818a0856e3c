import { useNavigate } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import MessageCircle from 'lucide-solid/icons/message-circle'
import { api, ask } from '../../api/api.ts'
import { useSession } from '../../api/session.ts'
import { createForm } from '../../forms/create-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { StateBadge } from '../detail-list.tsx'
import { Ago, Entry } from '../entry.tsx'
import { ListPage } from '../query-view.tsx'
import { BlockedVisitors } from './blocked-visitors.tsx'
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

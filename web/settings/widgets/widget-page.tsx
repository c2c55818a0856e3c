import { useNavigate } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { CardForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Page, Section } from '../page-layout.tsx'
import { PauseButton } from '../pause-button.tsx'
import { QueryView } from '../query-view.tsx'
import { Install } from './install.tsx'
import { OpeningHours } from './opening-hours.tsx'
import { PreviewedSettings } from './previewed-settings.tsx'
import { SignedInUsers } from './signed-in-users.tsx'
import { Websites } from './websites.tsx'
import { createWidgetForm, showWidget, type Widget, widgetQuery, widgetsChanged } from './widget-data.ts'
import { WidgetState } from './widget-state.tsx'
import { WidgetTelegram } from './widget-telegram.tsx'

const LIST = '/settings/widget'
/** So that "seen" appears while the snippet is being tried. */
const REFETCH_MS = 5_000

/** The settings of one widget. */
export function WidgetPage(props: { id: string }) {
  const query = useQuery(() => ({ ...widgetQuery(props.id), reconcile: 'id', refetchInterval: REFETCH_MS }))
  return (
    <Page
      title={query.data?.name ?? 'Widget'}
      back={{ href: LIST, name: 'Website widget' }}
      lead={<Show when={query.data}>{(widget) => <Lead widget={widget()} />}</Show>}
      actions={<Show when={query.data}>{(widget) => <Pause widget={widget()} />}</Show>}
    >
      <QueryView query={query} what="the widget">
        {(widget) => (
          <>
            <Install widget={widget()} />
            <Websites widget={widget()} />
            <PreviewedSettings widget={widget()} />
            <OpeningHours widget={widget()} />
            <SignedInUsers widget={widget()} />
            <WidgetTelegram widget={widget()} />
            <Name widget={widget()} />
            <RemoveWidget widget={widget()} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Lead(props: { widget: Widget }) {
  return (
    <>
      <WidgetState widget={props.widget} />{' '}
      <Show when={props.widget.state !== 'active'}>{props.widget.detail}</Show>
    </>
  )
}

function Pause(props: { widget: Widget }) {
  const one = () => api.console.widgets({ id: props.widget.id })
  return (
    <Show when={props.widget.state !== 'disabled'}>
      <PauseButton
        item={props.widget}
        noun="Widget"
        pause={(isPaused) => (isPaused ? ask(one().pause.post()) : ask(one().resume.post()))}
        onChange={showWidget}
      />
    </Show>
  )
}

function Name(props: { widget: Widget }) {
  const form = createWidgetForm('the name', () => props.widget, {
    valuesOf: ({ name }) => ({ name }),
    changeOf: ({ name }) => ({ name }),
  })
  return (
    <Section title="Name">
      <CardForm save={form.submit} fields={['name']} action="Save name" isUnchanged={!form.isChanged()}>
        <TextField
          label="Name"
          hint="Only your team sees it. Visitors see the title."
          value={form.values.name}
          onInput={(name) => form.setValues({ name })}
          error={fieldError(form.submit.error, 'name')}
          required
        />
      </CardForm>
    </Section>
  )
}

/** Removes a widget permanently, after a confirmation. */
function RemoveWidget(props: { widget: Widget }) {
  const [isAsking, setAsking] = createSignal(false)
  const navigate = useNavigate()
  const remove = async () => {
    const { id, name } = props.widget
    await ask(api.console.widgets({ id }).delete())
    widgetsChanged()
    toast(`Removed “${name}”.`)
    navigate(LIST)
  }
  return (
    <Section title="Remove" text="Tickets and their messages are kept.">
      <div>
        <Button onClick={() => setAsking(true)}>Remove widget…</Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title={`Remove “${props.widget.name}”?`}
        text="It disappears from all websites at once, and its key and identity secret are deleted. This can't be undone."
        word="remove"
        action="Remove widget"
        onConfirm={remove}
      />
    </Section>
  )
}

import { useQuery } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api } from '../../api/api.ts'
import { useAction } from '../../forms/action.tsx'
import { CardForm } from '../../forms/form.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { bots } from '../bots/bot-data.tsx'
import { AccountPage } from '../channel-account.tsx'
import { Section } from '../page.tsx'
import { Appearance } from './appearance.tsx'
import { Install } from './install.tsx'
import { OpeningHours } from './opening-hours.tsx'
import { Questions } from './questions.tsx'
import { SignedInUsers } from './signed-in-users.tsx'
import { Websites } from './websites.tsx'
import {
  createWidgetForm,
  saveWidget,
  shownStateOf,
  WIDGETS_PAGE,
  type Widget,
  widgets,
} from './widget-data.ts'
import { type SampleView, WidgetPreview } from './widget-preview.tsx'
import './widgets.css'

const NONE = 'none'

/** The settings of one widget. */
export function WidgetPage(props: { id: string }) {
  return (
    <AccountPage
      id={props.id}
      noun="widget"
      list={WIDGETS_PAGE}
      accounts={widgets}
      route={(id) => api.console.widgets({ id })}
      nameOf={({ name }) => name}
      stateOf={shownStateOf}
      saysDetail={({ state }) => state !== 'active'}
      canPause={({ state }) => state !== 'disabled'}
      removal={({ name }) => ({
        name: `“${name}”`,
        text: 'Tickets and their messages are kept.',
        warning:
          "It disappears from all websites at once, and its key and identity secret are deleted. This can't be undone.",
      })}
    >
      {(widget) => (
        <>
          <Install widget={widget()} />
          <Websites widget={widget()} />
          <PreviewedSettings widget={widget()} />
          <OpeningHours widget={widget()} />
          <SignedInUsers widget={widget()} />
          <ContinueInTelegram widget={widget()} />
          <Name widget={widget()} />
        </>
      )}
    </AccountPage>
  )
}

/** The settings that visitors see, beside the widget as it would be with what is typed. */
function PreviewedSettings(props: { widget: Widget }) {
  const [appearance, setAppearance] = createSignal(props.widget.appearance)
  const [questions, setQuestions] = createSignal(props.widget.questions)
  const [view, setView] = createSignal<SampleView>('conversation')
  return (
    <div class="widget-page-previewed">
      <div class="widget-page-forms">
        <Appearance widget={props.widget} onTyped={setAppearance} />
        {/* They are asked before the first message only. */}
        <div onFocusIn={() => setView('first')}>
          <Questions widget={props.widget} onTyped={setQuestions} />
        </div>
      </div>
      <WidgetPreview
        appearance={appearance()}
        questions={questions()}
        awayText={props.widget.hours?.awayText ?? ''}
        view={view()}
        onView={setView}
      />
    </div>
  )
}

/** The bot in which visitors can continue their conversation. Nothing without a bot. */
function ContinueInTelegram(props: { widget: Widget }) {
  const query = useQuery(() => bots.list)
  const options = () => [
    { value: NONE, label: 'Not offered' },
    ...(query.data?.data ?? []).map(({ id, username }) => ({ value: id, label: `@${username}` })),
  ]
  const save = useAction(
    (telegramBotId: string) => saveWidget(props.widget.id, { telegramBotId }),
    (widget) => {
      widgets.show(widget)
      return 'Saved.'
    },
  )
  const chosen = () => (save.isPending ? save.variables : props.widget.telegramBotId)
  return (
    <Show when={options().length > 1}>
      <Section
        title="Continue in Telegram"
        text="Visitors find this in the menu of their conversation. What they write there stays in the same ticket."
        actions={<DocsLink to="/docs/telegram#from-the-website">How it works</DocsLink>}
      >
        <div class="card">
          <Select
            label="Bot"
            options={options()}
            value={options().some(({ value }) => value === chosen()) ? chosen() : NONE}
            onChange={(id) => save.mutate(id === NONE ? '' : id)}
          />
        </div>
      </Section>
    </Show>
  )
}

function Name(props: { widget: Widget }) {
  const form = createWidgetForm({
    what: 'the name',
    widget: () => props.widget,
    valuesOf: ({ name }) => ({ name }),
    changeOf: ({ name }) => ({ name }),
  })
  return (
    <Section title="Name">
      <CardForm form={form} action="Save name">
        <TextField
          {...form.text('name')}
          label="Name"
          hint="Only your team sees it. Visitors see the title."
          required
        />
      </CardForm>
    </Section>
  )
}

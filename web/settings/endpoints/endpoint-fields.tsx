import { For, Show } from 'solid-js'
import { createForm, type FormFields } from '../../forms/create-form.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { TextField } from '../../ui/text-field.tsx'
import {
  type Endpoint,
  type EndpointValues,
  EVENTS,
  USUAL_EVENTS,
  type WebhookEvent,
} from './endpoint-data.ts'
import { FilterFields } from './filter-fields.tsx'

type SavedValues = Pick<Endpoint, 'url' | 'description' | 'events' | 'channels' | 'tags' | 'changes'>

/** The form of an endpoint. */
export function createEndpointForm<Saved>(options: {
  endpoint?: () => Endpoint
  what?: string
  save: (values: SavedValues) => Promise<Saved>
  onSaved: (saved: Saved) => unknown
}) {
  return createForm({
    ...options,
    values: (): EndpointValues => {
      const given: Partial<Endpoint> = options.endpoint?.() ?? {}
      const {
        url = '',
        description = '',
        events = USUAL_EVENTS,
        channels = [],
        tags = [],
        changes = [],
      } = given
      return {
        url,
        description,
        events: [...events],
        channels: [...channels],
        tags: tags.join(', '),
        changes: [...changes],
      }
    },
    save: (values) => options.save({ ...values, url: values.url.trim(), tags: tagsIn(values.tags) }),
  })
}

function tagsIn(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
}

/** URL, events, filters and description. */
export function EndpointFields(props: { form: FormFields<EndpointValues> }) {
  const eventsError = props.form.errorAt('events')
  const toggle = (event: WebhookEvent, isChosen: boolean) => {
    const isSubscribed = (one: WebhookEvent) =>
      one === event ? isChosen : props.form.values.events.includes(one)
    props.form.set({ events: EVENTS.map((one) => one.event).filter(isSubscribed) })
  }
  return (
    <>
      <TextField
        {...props.form.text('url')}
        label="URL"
        hint="A public HTTPS URL that accepts POST requests."
        placeholder="https://hooks.example.com/bellhop"
        inputmode="url"
        isVerbatim
        required
      />
      <fieldset class="form-choices stack-tight">
        <legend>Events</legend>
        <For each={EVENTS}>
          {({ event, text }) => (
            <Checkbox
              label={<span class="mono">{event}</span>}
              hint={text}
              isChecked={props.form.values.events.includes(event)}
              onChange={(isChosen) => toggle(event, isChosen)}
            />
          )}
        </For>
        <Show when={eventsError()}>{(fault) => <ErrorText>{fault()}</ErrorText>}</Show>
      </fieldset>
      <FilterFields form={props.form} />
      <TextField
        {...props.form.text('description')}
        label="Description"
        aside="optional"
        hint="What this endpoint is for."
        maxlength={255}
      />
    </>
  )
}

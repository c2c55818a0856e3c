import { For, Show } from 'solid-js'
import { fieldError } from '../../api/api-problem.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { type Endpoint, EVENTS, type WebhookEvent } from './endpoint-data.ts'

type EndpointValues = {
  url: string
  description: string
  events: WebhookEvent[]
}

export const FIELDS = ['url', 'description', 'events'] as const

/** A new endpoint is subscribed to all events. */
export function newEndpointValues(): EndpointValues {
  return { url: '', description: '', events: EVENTS.map(({ event }) => event) }
}

export function valuesOf({ url, description, events }: Endpoint): EndpointValues {
  return { url, description, events: [...events] }
}

interface EndpointFieldsProps {
  values: EndpointValues
  onChange: (change: Partial<EndpointValues>) => void
  /** The error from the server. */
  error: unknown
}

/** URL, events and description, each with its error from the server. */
export function EndpointFields(props: EndpointFieldsProps) {
  const toggle = (event: WebhookEvent, isChosen: boolean) => {
    const isSubscribed = (one: WebhookEvent) => (one === event ? isChosen : props.values.events.includes(one))
    props.onChange({ events: EVENTS.map((one) => one.event).filter(isSubscribed) })
  }
  return (
    <>
      <TextField
        label="URL"
        hint="A public HTTPS URL that accepts POST requests."
        error={fieldError(props.error, 'url')}
        value={props.values.url}
        onInput={(url) => props.onChange({ url })}
        placeholder="https://hooks.example.com/bellhop"
        inputmode="url"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        required
      />
      <fieldset class="form-choices">
        <legend>Events</legend>
        <For each={EVENTS}>
          {({ event, text }) => (
            <Checkbox
              label={<span class="mono">{event}</span>}
              hint={text}
              isChecked={props.values.events.includes(event)}
              onChange={(isChosen) => toggle(event, isChosen)}
            />
          )}
        </For>
        <Show when={fieldError(props.error, 'events')}>{(fault) => <ErrorText>{fault()}</ErrorText>}</Show>
      </fieldset>
      <TextField
        label="Description"
        aside="optional"
        hint="What this endpoint is for."
        error={fieldError(props.error, 'description')}
        value={props.values.description}
        onInput={(description) => props.onChange({ description })}
        maxlength={255}
      />
    </>
  )
}

import { useMutation } from '@tanstack/solid-query'
import { api, ask } from '../../api/api.ts'
import { CardForm } from '../../forms/form.tsx'
import { toast } from '../../ui/toaster.tsx'
import { createFormState } from '../form-state.ts'
import { Section } from '../page.tsx'
import { type Endpoint, showEndpoint } from './endpoint-data.ts'
import { EndpointFields, FIELDS, valuesOf } from './endpoint-fields.tsx'

/** Edits the URL, events and description of an endpoint. */
export function EditEndpoint(props: { endpoint: Endpoint }) {
  const form = createFormState('the endpoint', () => valuesOf(props.endpoint))
  const save = useMutation(() => ({
    mutationFn: () =>
      form.save((sent) =>
        ask(api.console.endpoints({ id: props.endpoint.id }).patch({ ...sent, url: sent.url.trim() })),
      ),
    onSuccess: (endpoint: Endpoint) => {
      showEndpoint(endpoint)
      toast('Endpoint saved.')
    },
  }))
  return (
    <Section title="Settings" text="If you change the URL, deliveries in progress still go to the old one.">
      <CardForm save={save} fields={FIELDS} action="Save" isUnchanged={!form.isChanged()}>
        <EndpointFields values={form.values} onChange={form.setValues} error={save.error} />
      </CardForm>
    </Section>
  )
}

import { useMutation } from '@tanstack/solid-query'
import { api, ask } from '../../api/api.ts'
import { CardForm } from '../../forms/form.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Section } from '../page.tsx'
import { createTypedValues } from '../typed-values.ts'
import { type Endpoint, showEndpoint } from './endpoint-data.ts'
import { EndpointFields, FIELDS, valuesOf } from './endpoint-fields.tsx'

/** Changes address, events and description of an endpoint. */
export function EditEndpoint(props: { endpoint: Endpoint }) {
  const [values, setValues, sendValues] = createTypedValues('The endpoint', () => valuesOf(props.endpoint))
  const save = useMutation(() => ({
    mutationFn: () =>
      sendValues((sent) =>
        ask(api.console.endpoints({ id: props.endpoint.id }).patch({ ...sent, url: sent.url.trim() })),
      ),
    onSuccess: (endpoint: Endpoint) => {
      showEndpoint(endpoint)
      toast('The endpoint is saved.')
    },
  }))
  return (
    <Section
      title="Settings"
      text="Attempts under way still go to the old address, the next ones to the new."
    >
      <CardForm save={save} fields={FIELDS} action="Save">
        <EndpointFields values={values} onChange={setValues} error={save.error} />
      </CardForm>
    </Section>
  )
}

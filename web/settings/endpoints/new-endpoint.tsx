import { useMutation } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { createStore } from 'solid-js/store'
import { api, ask } from '../../api/api.ts'
import { askBeforeLeaving } from '../../browser/unsaved-warning.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showEndpoint } from './endpoint-data.ts'
import { EndpointFields, FIELDS, newEndpointValues } from './endpoint-fields.tsx'
import { SigningSecret } from './signing-secret.tsx'

interface NewEndpointProps {
  isOpen: boolean
  onClose: () => void
}

/** Registers an endpoint, and then shows its signing secret this once. */
export function NewEndpoint(props: NewEndpointProps) {
  return (
    <Show when={props.isOpen}>
      <Registering onClose={() => props.onClose()} />
    </Show>
  )
}

function Registering(props: { onClose: () => void }) {
  const [values, setValues] = createStore(newEndpointValues())
  const register = useMutation(() => ({
    mutationFn: () => ask(api.console.endpoints.post({ ...values, url: values.url.trim() })),
    onSuccess: ({ endpoint }) => showEndpoint(endpoint),
  }))
  askBeforeLeaving(() => !register.data && (values.url !== '' || values.description !== ''))
  return (
    <Show
      when={register.data}
      fallback={
        <Dialog isOpen onClose={() => props.onClose()} title="New endpoint">
          <DialogForm
            save={register}
            fields={FIELDS}
            action="Register endpoint"
            onCancel={() => props.onClose()}
          >
            <EndpointFields values={values} onChange={setValues} error={register.error} />
          </DialogForm>
        </Dialog>
      }
    >
      {(made) => (
        // Without a cross: it is closed only by somebody who says that the secret is kept.
        <Dialog
          isOpen
          title="Keep the signing secret"
          size="wide"
          footer={
            <>
              <ButtonLink href={`/settings/endpoints/${made().endpoint.id}`}>Open the endpoint</ButtonLink>
              <Button look="primary" onClick={() => props.onClose()}>
                I have kept it
              </Button>
            </>
          }
        >
          <SigningSecret secret={made().secret} />
        </Dialog>
      )}
    </Show>
  )
}

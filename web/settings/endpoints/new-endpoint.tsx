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

/** Registers an endpoint, then shows its signing secret once. */
export function NewEndpoint(props: NewEndpointProps) {
  return (
    <Show when={props.isOpen}>
      <NewEndpointDialog onClose={() => props.onClose()} />
    </Show>
  )
}

function NewEndpointDialog(props: { onClose: () => void }) {
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
      {(created) => (
        // No close button: the agent confirms that the secret is saved.
        <Dialog
          isOpen
          title="Save your signing secret"
          size="wide"
          footer={
            <>
              <ButtonLink href={`/settings/endpoints/${created().endpoint.id}`}>Open endpoint</ButtonLink>
              <Button look="primary" onClick={() => props.onClose()}>
                I've saved it
              </Button>
            </>
          }
        >
          <SigningSecret secret={created().secret} />
        </Dialog>
      )}
    </Show>
  )
}

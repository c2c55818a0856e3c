import { useMutation } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { createStore } from 'solid-js/store'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { askBeforeLeaving } from '../../browser/unsaved-warning.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { keysChanged } from './key-data.ts'
import { KeyScopes } from './key-scopes.tsx'
import { KeySecret } from './key-secret.tsx'
import { bodyOf, KeyExpiry, type KeyValues, newKeyValues } from './key-values.tsx'

const FIELDS = ['name', 'scopes', 'rateLimit', 'expiresAt']

/** Creates a secret key, then shows it once. */
export function NewKey(props: { isOpen: boolean; onClose: () => void }) {
  return (
    <Show when={props.isOpen}>
      <NewKeyDialog onClose={() => props.onClose()} />
    </Show>
  )
}

function NewKeyDialog(props: { onClose: () => void }) {
  const [values, setValues] = createStore<KeyValues>(newKeyValues())
  const create = useMutation(() => ({
    mutationFn: () => ask(api.console.keys.post(bodyOf(values))),
    onSuccess: keysChanged,
  }))
  askBeforeLeaving(() => !create.data && (values.name !== '' || values.rateLimit !== ''))
  return (
    <Show
      when={create.data}
      fallback={
        <Dialog isOpen onClose={() => props.onClose()} title="New API key">
          <DialogForm save={create} fields={FIELDS} action="Create key" onCancel={() => props.onClose()}>
            <TextField
              label="Name"
              hint="The program that will use it, like “Web shop”."
              value={values.name}
              onInput={(name) => setValues({ name })}
              error={fieldError(create.error, 'name')}
              autocomplete="off"
              required
            />
            <KeyScopes values={values} onChange={setValues} error={fieldError(create.error, 'scopes')} />
            <div class="two">
              <KeyExpiry values={values} onChange={setValues} error={fieldError(create.error, 'expiresAt')} />
              <TextField
                label="Requests per minute"
                aside="optional"
                hint="Leave empty for the server limit."
                value={values.rateLimit}
                onInput={(rateLimit) => setValues({ rateLimit })}
                error={fieldError(create.error, 'rateLimit')}
                type="number"
                min="1"
                step="1"
                inputmode="numeric"
              />
            </div>
          </DialogForm>
        </Dialog>
      }
    >
      {(created) => (
        // No close button: the agent confirms that the key is saved.
        <Dialog
          isOpen
          title="Save your key"
          size="wide"
          footer={
            <Button look="primary" onClick={() => props.onClose()}>
              I've saved it
            </Button>
          }
        >
          <KeySecret secret={created().secret} scopes={created().key.scopes ?? undefined} />
        </Dialog>
      )}
    </Show>
  )
}

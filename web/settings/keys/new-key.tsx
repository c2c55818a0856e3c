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
import { bodyOf, KeyExpiry, type KeyValues, startValues } from './key-values.tsx'

const FIELDS = ['name', 'scopes', 'rateLimit', 'expiresAt']

/** Makes a secret key, and then shows it this once. */
export function NewKey(props: { isOpen: boolean; onClose: () => void }) {
  return (
    <Show when={props.isOpen}>
      <Making onClose={() => props.onClose()} />
    </Show>
  )
}

function Making(props: { onClose: () => void }) {
  const [values, setValues] = createStore<KeyValues>(startValues())
  const make = useMutation(() => ({
    mutationFn: () => ask(api.console.keys.post(bodyOf(values))),
    onSuccess: keysChanged,
  }))
  askBeforeLeaving(() => !make.data && (values.name !== '' || values.rateLimit !== ''))
  return (
    <Show
      when={make.data}
      fallback={
        <Dialog isOpen onClose={() => props.onClose()} title="New API key">
          <DialogForm save={make} fields={FIELDS} action="Create key" onCancel={() => props.onClose()}>
            <TextField
              label="Name"
              hint="The program that will use it, such as “Web shop”."
              value={values.name}
              onInput={(name) => setValues({ name })}
              error={fieldError(make.error, 'name')}
              autocomplete="off"
              required
            />
            <KeyScopes values={values} onChange={setValues} error={fieldError(make.error, 'scopes')} />
            <div class="two">
              <KeyExpiry values={values} onChange={setValues} error={fieldError(make.error, 'expiresAt')} />
              <TextField
                label="Requests a minute"
                aside="optional"
                hint="Empty: the limit of the server."
                value={values.rateLimit}
                onInput={(rateLimit) => setValues({ rateLimit })}
                error={fieldError(make.error, 'rateLimit')}
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
      {(made) => (
        // Without a cross: it is closed only by somebody who says that the key is kept.
        <Dialog
          isOpen
          title="Keep the key"
          size="wide"
          footer={
            <Button look="primary" onClick={() => props.onClose()}>
              I have kept it
            </Button>
          }
        >
          <KeySecret secret={made().secret} scopes={made().key.scopes ?? undefined} />
        </Dialog>
      )}
    </Show>
  )
}

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
import { CodeBlock } from '../code-block.tsx'
import { SecretOnce } from '../secret-once.tsx'
import { keysChanged, type Scope } from './key-data.ts'
import { bodyOf, KeyExpiry, KeyScopes, type KeyValues, newKeyValues } from './key-fields.tsx'

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
            <div class="form-columns">
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

/** A new key, shown once, with an example request. */
function KeySecret(props: { secret: string; scopes: Scope[] | undefined }) {
  return (
    <div class="stack">
      <SecretOnce
        label="API key"
        secret={props.secret}
        text="Store it like a password; never in a web page."
      />
      <div class="stack-tight">
        <p>Try it in a terminal:</p>
        <CodeBlock label="Example request" code={exampleFor(props.secret, props.scopes)} />
      </div>
    </div>
  )
}

/** A request that the scopes allow. */
function exampleFor(secret: string, scopes: Scope[] | undefined): string {
  const tickets = `${location.origin}/v1/tickets`
  const key = `-H 'Authorization: Bearer ${secret}'`
  const json = "-H 'Content-Type: application/json'"
  if (!scopes || scopes.includes('tickets:write')) {
    const body = '{"subject":"Hello","message":"Is anyone there?","customer":{"email":"ana@example.com"}}'
    return `curl ${tickets} \\\n  ${key} \\\n  ${json} \\\n  -d '${body}'`
  }
  if (scopes.includes('tickets:read')) return `curl ${tickets} \\\n  ${key}`
  return `curl ${tickets}/TICKET_ID/messages \\\n  ${key} \\\n  ${json} \\\n  -d '{"text":"Hello"}'`
}

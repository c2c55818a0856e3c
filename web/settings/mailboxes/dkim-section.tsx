import { useMutation } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage, fieldError } from '../../api/api-problem.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { CardForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Switch } from '../../ui/checkbox.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { CodeBlock } from '../code-block.tsx'
import { Section } from '../page-layout.tsx'
import { type Mailbox, showMailbox } from './mailbox-data.ts'

type Dkim = NonNullable<Mailbox['dkim']>

/** A signature of the domain on what leaves the mailbox, for mail servers that don't sign themselves. */
export function DkimSection(props: { mailbox: Mailbox }) {
  return (
    <Section
      title="DKIM"
      text="Most providers sign your email. If yours doesn't, Bellhop can."
      actions={<DocsLink to="/docs/email#sign-with-dkim">When to use it</DocsLink>}
    >
      <Show when={props.mailbox.dkim} fallback={<NewKey mailbox={props.mailbox} />}>
        {(dkim) => <KnownKey mailbox={props.mailbox} dkim={dkim()} />}
      </Show>
    </Section>
  )
}

function dkimOf({ id }: Mailbox) {
  return api.console.mailboxes({ id }).dkim
}

function NewKey(props: { mailbox: Mailbox }) {
  const [domain, setDomain] = createSignal(props.mailbox.address.split('@').at(-1) ?? '')
  const [selector, setSelector] = createSignal('bellhop')
  const make = useMutation(() => ({
    mutationFn: () => ask(dkimOf(props.mailbox).post({ domain: domain(), selector: selector() })),
    onSuccess: showMailbox,
  }))
  return (
    <CardForm save={make} fields={['domain', 'selector']} action="Create key">
      <div class="form-columns">
        <TextField
          label="Domain"
          hint="The domain of the address, or a parent domain."
          value={domain()}
          onInput={setDomain}
          error={fieldError(make.error, 'domain')}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
        />
        <TextField
          label="Selector"
          hint="Distinguishes this key from the domain's other keys."
          value={selector()}
          onInput={setSelector}
          error={fieldError(make.error, 'selector')}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
        />
      </div>
    </CardForm>
  )
}

/** The record to publish, and the switch for afterwards. */
function KnownKey(props: { mailbox: Mailbox; dkim: Dkim }) {
  const [isAsking, setAsking] = createSignal(false)
  const onError = (error: unknown) => void toastError(errorMessage(error))
  const turn = useMutation(() => ({
    mutationFn: (isOn: boolean) => ask(dkimOf(props.mailbox).patch({ isOn })),
    onSuccess: (mailbox: Mailbox) => {
      showMailbox(mailbox)
      toast(mailbox.dkim?.isOn ? 'Email is now signed.' : 'Email is no longer signed.')
    },
    onError,
  }))
  async function remove() {
    showMailbox(await ask(dkimOf(props.mailbox).delete()))
    toast('Removed the DKIM key.')
  }
  return (
    <div class="card">
      <p>Add this TXT record to the DNS of {props.dkim.domain}.</p>
      <CodeBlock label="Record name" code={props.dkim.record.name} />
      <CodeBlock label="Record value" code={props.dkim.record.value} />
      <Switch
        label="Sign email from this mailbox"
        hint="Turn this on once the record is published. A signature that can't be checked looks forged."
        isChecked={props.dkim.isOn}
        onChange={(isOn) => turn.mutate(isOn)}
      />
      <div class="card-foot">
        <Button onClick={() => setAsking(true)}>Remove key…</Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title="Remove the DKIM key?"
        text="Email from this mailbox will no longer be signed. A new key needs a new record."
        action="Remove key"
        onConfirm={remove}
      />
    </div>
  )
}

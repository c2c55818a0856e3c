import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { SavedSwitch } from '../../forms/action.tsx'
import { ConfirmButton } from '../../forms/confirm-dialog.tsx'
import { createForm } from '../../forms/create-form.ts'
import { CardForm } from '../../forms/form.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { CodeBlock } from '../code-block.tsx'
import { Section } from '../page.tsx'
import { type Mailbox, mailboxes } from './mailbox-data.ts'

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
        {(dkim) => <StoredKey mailbox={props.mailbox} dkim={dkim()} />}
      </Show>
    </Section>
  )
}

function dkimOf({ id }: Mailbox) {
  return api.console.mailboxes({ id }).dkim
}

function NewKey(props: { mailbox: Mailbox }) {
  const form = createForm({
    values: () => ({ domain: props.mailbox.address.split('@').at(-1) ?? '', selector: 'bellhop' }),
    save: (values) => ask(dkimOf(props.mailbox).post(values)),
    onSaved: mailboxes.show,
    isUnsaved: () => false,
  })
  return (
    <CardForm form={form} action="Create key" isUnchanged={false}>
      <div class="form-columns">
        <TextField
          {...form.text('domain')}
          label="Domain"
          hint="The domain of the address, or a parent domain."
          isVerbatim
        />
        <TextField
          {...form.text('selector')}
          label="Selector"
          hint="Distinguishes this key from the domain's other keys."
          isVerbatim
        />
      </div>
    </CardForm>
  )
}

/** The record to publish, and the switch for afterwards. */
function StoredKey(props: { mailbox: Mailbox; dkim: Dkim }) {
  async function sign(isOn: boolean) {
    mailboxes.show(await ask(dkimOf(props.mailbox).patch({ isOn })))
    toast(isOn ? 'Email is now signed.' : 'Email is no longer signed.')
  }
  async function remove() {
    mailboxes.show(await ask(dkimOf(props.mailbox).delete()))
    toast('Removed the DKIM key.')
  }
  return (
    <div class="card">
      <p>Add this TXT record to the DNS of {props.dkim.domain}.</p>
      <CodeBlock label="Record name" code={props.dkim.record.name} />
      <CodeBlock label="Record value" code={props.dkim.record.value} />
      <SavedSwitch
        label="Sign email from this mailbox"
        hint="Turn this on once the record is published. A signature that can't be checked looks forged."
        isChecked={props.dkim.isOn}
        save={sign}
      />
      <div class="row">
        <ConfirmButton
          label="Remove key…"
          title="Remove the DKIM key?"
          text="Email from this mailbox will no longer be signed. A new key needs a new record."
          action="Remove key"
          onConfirm={remove}
        />
      </div>
    </div>
  )
}

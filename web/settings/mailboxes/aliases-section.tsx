import { useMutation, useQuery } from '@tanstack/solid-query'
import { createSignal, For, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { CardForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Section } from '../page-layout.tsx'
import { type Mailbox, showMailbox, suggestedAliasesQuery } from './mailbox-data.ts'
import { faultOf } from './mailbox-values.ts'
import './aliases-section.css'

/** Other addresses whose mail arrives in the mailbox, and those that its mail suggests. */
export function AliasesSection(props: { mailbox: Mailbox }) {
  const [typed, setTyped] = createSignal('')
  const suggested = useQuery(() => suggestedAliasesQuery(props.mailbox))
  const aliases = () => props.mailbox.aliases
  const change = (next: string[]) =>
    ask(api.console.mailboxes({ id: props.mailbox.id }).patch({ aliases: next }))
  const add = useMutation(() => ({
    mutationFn: () => change([...aliases(), typed()]),
    onSuccess: (mailbox: Mailbox) => {
      setTyped('')
      showMailbox(mailbox)
    },
  }))
  const set = useMutation(() => ({
    mutationFn: ({ next }: { next: string[]; done: string }) => change(next),
    onSuccess: (mailbox: Mailbox, { done }) => {
      showMailbox(mailbox)
      toast(done)
    },
    onError: (error: unknown) => void toastError(errorMessage(error)),
  }))
  const remove = (alias: string) =>
    set.mutate({ next: aliases().filter((one) => one !== alias), done: `Removed ${alias}.` })
  const accept = (alias: string) => set.mutate({ next: [...aliases(), alias], done: `Added ${alias}.` })
  return (
    <Section
      title="Aliases"
      text="Other addresses whose mail arrives in this mailbox, groups too. Replies are never sent to them."
      actions={<DocsLink to="/docs/email#aliases">When to add one</DocsLink>}
    >
      <CardForm save={add} fields={['aliases']} action="Add alias" isUnchanged={typed().trim() === ''}>
        <Show when={aliases().length > 0}>
          <ul class="aliases-section-list" aria-label="Aliases">
            <For each={aliases()}>
              {(alias) => (
                <li>
                  <span>{alias}</span>
                  <Button size="small" look="quiet" onClick={() => remove(alias)}>
                    Remove<span class="unseen"> {alias}</span>
                  </Button>
                </li>
              )}
            </For>
          </ul>
        </Show>
        <Show when={suggested.data?.data.length}>
          <p class="muted">Found in recent mail:</p>
          <ul class="aliases-section-list" aria-label="Suggested aliases">
            <For each={suggested.data?.data}>
              {({ address, mails }) => (
                <li>
                  <span>
                    {address}{' '}
                    <span class="muted">
                      on {mails.toLocaleString()} {mails === 1 ? 'email' : 'emails'}
                    </span>
                  </span>
                  <Button size="small" onClick={() => accept(address)}>
                    Add<span class="unseen"> {address}</span>
                  </Button>
                </li>
              )}
            </For>
          </ul>
        </Show>
        <TextField
          label="Address"
          value={typed()}
          onInput={setTyped}
          placeholder="info@acme.example"
          error={faultOf(add.error, 'aliases')}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
        />
      </CardForm>
    </Section>
  )
}

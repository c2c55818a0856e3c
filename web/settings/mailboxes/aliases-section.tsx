import { useQuery } from '@tanstack/solid-query'
import { For, type JSX, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { useAction } from '../../forms/action.tsx'
import { createForm } from '../../forms/create-form.ts'
import { CardForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Section } from '../page.tsx'
import { type Mailbox, mailboxes, suggestedAliasesQuery } from './mailbox-data.ts'

/** Other addresses whose mail arrives in the mailbox, and those that its mail suggests. */
export function AliasesSection(props: { mailbox: Mailbox }) {
  const suggested = useQuery(() => suggestedAliasesQuery(props.mailbox))
  const save = (aliases: string[]) => ask(api.console.mailboxes({ id: props.mailbox.id }).patch({ aliases }))
  const form = createForm({
    values: () => ({ alias: '' }),
    save: ({ alias }) => save([...props.mailbox.aliases, alias]),
    onSaved: (mailbox) => {
      form.reset()
      mailboxes.show(mailbox)
    },
    isUnsaved: () => false,
  })
  const change = useAction(
    ({ aliases }: { aliases: string[]; done: string }) => save(aliases),
    (mailbox, { done }) => {
      mailboxes.show(mailbox)
      return done
    },
  )
  const remove = (alias: string) =>
    change.mutate({
      aliases: props.mailbox.aliases.filter((one) => one !== alias),
      done: `Removed ${alias}.`,
    })
  const accept = (alias: string) =>
    change.mutate({ aliases: [...props.mailbox.aliases, alias], done: `Added ${alias}.` })
  return (
    <Section
      title="Aliases"
      text="Other addresses whose mail arrives in this mailbox, groups too. Replies are never sent to them."
      actions={<DocsLink to="/docs/email#aliases">When to add one</DocsLink>}
    >
      <CardForm form={form} action="Add alias" isUnchanged={form.values.alias.trim() === ''}>
        <AddressList label="Aliases" addresses={props.mailbox.aliases}>
          {(alias) => (
            <>
              <span>{alias}</span>
              <Button size="small" look="quiet" onClick={() => remove(alias)}>
                Remove<span class="unseen"> {alias}</span>
              </Button>
            </>
          )}
        </AddressList>
        <Show when={suggested.data?.data.length}>
          <p class="muted">Found in recent mail:</p>
        </Show>
        <AddressList label="Suggested aliases" addresses={suggested.data?.data ?? []}>
          {({ address, mails }) => (
            <>
              <span>
                {address}{' '}
                <span class="muted">
                  on {mails.toLocaleString()} {mails === 1 ? 'email' : 'emails'}
                </span>
              </span>
              <Button size="small" onClick={() => accept(address)}>
                Add<span class="unseen"> {address}</span>
              </Button>
            </>
          )}
        </AddressList>
        <TextField
          {...form.text('alias', 'aliases')}
          label="Address"
          placeholder="info@acme.example"
          isVerbatim
        />
      </CardForm>
    </Section>
  )
}

interface AddressListProps<Item> {
  label: string
  addresses: readonly Item[]
  children: (item: Item) => JSX.Element
}

function AddressList<Item>(props: AddressListProps<Item>) {
  return (
    <Show when={props.addresses.length > 0}>
      <ul class="aliases-section-list" aria-label={props.label}>
        <For each={props.addresses}>{(address) => <li class="row">{props.children(address)}</li>}</For>
      </ul>
    </Show>
  )
}

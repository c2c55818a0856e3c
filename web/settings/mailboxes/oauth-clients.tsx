import { useQuery } from '@tanstack/solid-query'
import { createSignal, type JSX, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { ConfirmButton } from '../../forms/confirm-dialog.tsx'
import { createForm } from '../../forms/create-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { PasswordField } from '../../forms/password-field.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { CodeBlock } from '../code-block.tsx'
import { Entry, EntryList } from '../entry.tsx'
import { Section } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import { type OauthClient, type OauthProvider, oauthClientsQuery, PROVIDER_NAMES } from './mailbox-data.ts'

const PROVIDERS: OauthProvider[] = ['google', 'microsoft']

/** The organization's own clients at Google and Microsoft, which mailboxes there sign in with. */
export function OauthClients() {
  const query = useQuery(() => oauthClientsQuery)
  return (
    <Section
      title="Sign in with Google or Microsoft"
      text="These mailboxes sign in through your own OAuth client. Register one with the provider, then enter it here."
    >
      <QueryView query={query} what="OAuth clients" rows={2}>
        {(clients) => (
          <EntryList label="OAuth clients" items={PROVIDERS}>
            {(provider) => (
              <ClientRow
                provider={provider}
                client={clients().data.find((client) => client.provider === provider)}
              />
            )}
          </EntryList>
        )}
      </QueryView>
    </Section>
  )
}

function ClientRow(props: { provider: OauthProvider; client: OauthClient | undefined }) {
  const name = () => PROVIDER_NAMES[props.provider]
  const remove = async () => {
    await ask(api.console['oauth-clients']({ provider: props.provider }).delete())
    void queries.invalidateQueries({ queryKey: queryKeys.oauthClients })
    toast(`Removed the OAuth client for ${name()}.`)
  }
  return (
    <Entry
      title={name()}
      facts={[props.client ? <span class="mono">{props.client.clientId}</span> : 'Not set up']}
      actions={
        <>
          <OauthClientButton
            provider={props.provider}
            look="quiet"
            label={props.client ? 'Change' : 'Set up'}
            name={`${props.client ? 'Change' : 'Set up'} ${name()}`}
          />
          <Show when={props.client}>
            <ConfirmButton
              label="Remove"
              name={`Remove ${name()}`}
              isQuiet
              title={`Remove the OAuth client for ${name()}?`}
              text="Mailboxes that sign in with it stop working within the hour."
              action="Remove client"
              onConfirm={remove}
            />
          </Show>
        </>
      }
    />
  )
}

interface OauthClientButtonProps {
  provider: OauthProvider
  label: string
  /** For screen readers. */
  name?: string
  look?: 'quiet'
}

/** A button that asks for the client of one provider. */
function OauthClientButton(props: OauthClientButtonProps) {
  const [isOpen, setOpen] = createSignal(false)
  return (
    <>
      <Button look={props.look} aria-label={props.name} onClick={() => setOpen(true)}>
        {props.label}
      </Button>
      <Show when={isOpen()}>
        <OauthClientDialog provider={props.provider} onClose={() => setOpen(false)} />
      </Show>
    </>
  )
}

/** Asks for the client of one provider, and shows the redirect URL to register there. */
function OauthClientDialog(props: { provider: OauthProvider; onClose: () => void }) {
  const query = useQuery(() => oauthClientsQuery)
  const stored = query.data?.data.find(({ provider }) => provider === props.provider)
  const form = createForm({
    values: () => ({ clientId: stored?.clientId ?? '', clientSecret: '', tenant: stored?.tenant ?? '' }),
    save: ({ clientId, clientSecret, tenant }) =>
      ask(
        api.console['oauth-clients']({ provider: props.provider }).put({
          clientId,
          ...(clientSecret && { clientSecret }),
          ...(props.provider === 'microsoft' && { tenant }),
        }),
      ),
    onSaved: () => {
      void queries.invalidateQueries({ queryKey: queryKeys.oauthClients })
      props.onClose()
      return 'OAuth client saved.'
    },
  })
  return (
    <FormDialog
      form={form}
      title={`OAuth client for ${PROVIDER_NAMES[props.provider]}`}
      description="Bellhop signs in to your mailboxes as this client. No one else can use it, and you can revoke its access at the provider."
      action="Save client"
      onClose={props.onClose}
    >
      <div class="stack-tight">
        <p class="muted">
          Register this redirect URL at {PROVIDER_NAMES[props.provider]}.{' '}
          <DocsLink to={`/docs/email#sign-in-with-${props.provider}`}>Step by step</DocsLink>
        </p>
        <Show when={query.data} fallback={<p class="muted">{query.error && errorMessage(query.error)}</p>}>
          {(clients) => <CodeBlock label="Redirect URL" code={clients().redirectUrl} />}
        </Show>
      </div>
      <TextField
        {...form.text('clientId')}
        label="Client ID"
        autocomplete="off"
        spellcheck={false}
        required
      />
      <PasswordField
        {...form.text('clientSecret')}
        label="Client secret"
        name="client-secret"
        autocomplete="new-password"
        hint={stored ? 'Leave empty to keep the stored one.' : 'Stored encrypted.'}
        isOptional={stored !== undefined}
      />
      <Show when={props.provider === 'microsoft'}>
        <TextField
          {...form.text('tenant')}
          label="Directory (tenant) ID"
          aside="optional"
          hint="Leave empty to allow accounts from any directory."
          autocomplete="off"
          spellcheck={false}
        />
      </Show>
    </FormDialog>
  )
}

/** Asks for the OAuth client of a provider while there is none. */
export function MissingClient(props: { provider: OauthProvider; fallback: JSX.Element }) {
  const hasClient = useHasClient(() => props.provider)
  const name = () => PROVIDER_NAMES[props.provider]
  return (
    <Show when={hasClient() === false} fallback={props.fallback}>
      <p class="notice">
        {name()} mailboxes sign in through your own OAuth client. Register one with {name()}, then enter it
        here.
      </p>
      <div>
        <OauthClientButton provider={props.provider} label="Set up OAuth client…" />
      </div>
    </Show>
  )
}

/** Whether the organization has a client at a provider. Undefined until that is known, and without a provider. */
export function useHasClient(provider: () => OauthProvider | undefined): () => boolean | undefined {
  const query = useQuery(() => oauthClientsQuery)
  return () => provider() && query.data?.data.some((client) => client.provider === provider())
}

import { useMutation, useQuery } from '@tanstack/solid-query'
import { createSignal, For, Show } from 'solid-js'
import { createStore } from 'solid-js/store'
import { api, ask } from '../../api/api.ts'
import { errorMessage, fieldError } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { DialogForm } from '../../forms/form.tsx'
import { PasswordField } from '../../forms/password-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { CodeBlock } from '../code-block.tsx'
import { Section } from '../page-layout.tsx'
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
          <ul class="entry-list" aria-label="OAuth clients">
            <For each={PROVIDERS}>
              {(provider) => (
                <ClientRow
                  provider={provider}
                  client={clients().data.find((client) => client.provider === provider)}
                />
              )}
            </For>
          </ul>
        )}
      </QueryView>
    </Section>
  )
}

function ClientRow(props: { provider: OauthProvider; client: OauthClient | undefined }) {
  const [dialog, setDialog] = createSignal<'edit' | 'remove'>()
  const close = () => setDialog(undefined)
  const name = () => PROVIDER_NAMES[props.provider]
  const remove = async () => {
    await ask(api.console['oauth-clients']({ provider: props.provider }).delete())
    void queries.invalidateQueries({ queryKey: queryKeys.oauthClients })
    toast(`Removed the OAuth client for ${name()}.`)
  }
  return (
    <li class="entry">
      <div class="entry-words">
        <p class="entry-title">{name()}</p>
        <p class="entry-facts">
          <Show when={props.client} fallback="Not set up">
            {(client) => <span class="mono">{client().clientId}</span>}
          </Show>
        </p>
      </div>
      <div class="entry-actions">
        <Button
          look="quiet"
          aria-label={`${props.client ? 'Change' : 'Set up'} ${name()}`}
          onClick={() => setDialog('edit')}
        >
          {props.client ? 'Change' : 'Set up'}
        </Button>
        <Show when={props.client}>
          <Button look="quiet" aria-label={`Remove ${name()}`} onClick={() => setDialog('remove')}>
            Remove
          </Button>
        </Show>
      </div>
      <OauthClientDialog provider={props.provider} isOpen={dialog() === 'edit'} onClose={close} />
      <ConfirmDialog
        isOpen={dialog() === 'remove'}
        onClose={close}
        title={`Remove the OAuth client for ${name()}?`}
        text="Mailboxes that sign in with it stop working within the hour."
        action="Remove client"
        onConfirm={remove}
      />
    </li>
  )
}

interface OauthClientDialogProps {
  provider: OauthProvider
  isOpen: boolean
  onClose: () => void
}

/** Asks for the client of one provider, and shows the redirect URL to register there. */
export function OauthClientDialog(props: OauthClientDialogProps) {
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={() => props.onClose()}
      title={`OAuth client for ${PROVIDER_NAMES[props.provider]}`}
      description="Bellhop signs in to your mailboxes as this client. No one else can use it, and you can revoke its access at the provider."
    >
      <OauthClientForm provider={props.provider} onDone={() => props.onClose()} />
    </Dialog>
  )
}

function OauthClientForm(props: { provider: OauthProvider; onDone: () => void }) {
  const query = useQuery(() => oauthClientsQuery)
  const stored = () => query.data?.data.find(({ provider }) => provider === props.provider)
  const [values, setValues] = createStore({
    clientId: stored()?.clientId ?? '',
    clientSecret: '',
    tenant: stored()?.tenant ?? '',
  })
  const save = useMutation(() => ({
    mutationFn: () => {
      const { clientId, clientSecret, tenant } = values
      return ask(
        api.console['oauth-clients']({ provider: props.provider }).put({
          clientId,
          ...(clientSecret && { clientSecret }),
          ...(props.provider === 'microsoft' && { tenant }),
        }),
      )
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: queryKeys.oauthClients })
      toast('OAuth client saved.')
      props.onDone()
    },
  }))
  return (
    <DialogForm
      save={save}
      fields={['clientId', 'clientSecret', 'tenant']}
      action="Save client"
      onCancel={() => props.onDone()}
    >
      <div class="stack-tight">
        <p class="muted">
          Register this redirect URL at {PROVIDER_NAMES[props.provider]}.{' '}
          <Show
            when={props.provider === 'google'}
            fallback={<DocsLink to="/docs/email#sign-in-with-microsoft">Step by step</DocsLink>}
          >
            <DocsLink to="/docs/email#sign-in-with-google">Step by step</DocsLink>
          </Show>
        </p>
        <Show when={query.data} fallback={<p class="muted">{query.error && errorMessage(query.error)}</p>}>
          {(clients) => <CodeBlock label="Redirect URL" code={clients().redirectUrl} />}
        </Show>
      </div>
      <TextField
        label="Client ID"
        value={values.clientId}
        onInput={(clientId) => setValues({ clientId })}
        error={fieldError(save.error, 'clientId')}
        autocomplete="off"
        spellcheck={false}
        required
      />
      <PasswordField
        label="Client secret"
        name="client-secret"
        autocomplete="new-password"
        hint={stored() ? 'Leave empty to keep the stored one.' : 'Stored encrypted.'}
        isOptional={stored() !== undefined}
        value={values.clientSecret}
        onInput={(clientSecret) => setValues({ clientSecret })}
        error={fieldError(save.error, 'clientSecret')}
      />
      <Show when={props.provider === 'microsoft'}>
        <TextField
          label="Directory (tenant) ID"
          aside="optional"
          hint="Leave empty to allow accounts from any directory."
          value={values.tenant}
          onInput={(tenant) => setValues({ tenant })}
          error={fieldError(save.error, 'tenant')}
          autocomplete="off"
          spellcheck={false}
        />
      </Show>
    </DialogForm>
  )
}

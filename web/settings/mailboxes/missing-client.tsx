import { useQuery } from '@tanstack/solid-query'
import { createSignal, type JSX, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { type OauthProvider, oauthClientsQuery, PROVIDER_NAMES } from './mailbox-data.ts'
import { OauthClientDialog } from './oauth-clients.tsx'

/** Asks for the OAuth client of a provider while there is none. */
export function MissingClient(props: { provider: OauthProvider; fallback: JSX.Element }) {
  const hasClient = useHasClient(() => props.provider)
  const [isOpen, setOpen] = createSignal(false)
  const name = () => PROVIDER_NAMES[props.provider]
  return (
    <>
      <Show when={hasClient() === false} fallback={props.fallback}>
        <p class="notice">
          {name()} mailboxes sign in through your own OAuth client. Register one with {name()}, then enter it
          here.
        </p>
        <div>
          <Button onClick={() => setOpen(true)}>Set up OAuth client…</Button>
        </div>
      </Show>
      <OauthClientDialog provider={props.provider} isOpen={isOpen()} onClose={() => setOpen(false)} />
    </>
  )
}

/** Whether the organization has a client at a provider. Undefined until that is known, and without a provider. */
export function useHasClient(provider: () => OauthProvider | undefined): () => boolean | undefined {
  const query = useQuery(() => oauthClientsQuery)
  return () => provider() && query.data?.data.some((client) => client.provider === provider())
}

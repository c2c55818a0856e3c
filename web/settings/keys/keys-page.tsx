import { queryOptions, useQuery } from '@tanstack/solid-query'
import KeyRound from 'lucide-solid/icons/key-round'
import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { ConfirmButton } from '../../forms/confirm-dialog.tsx'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Ago, Entry, Facts } from '../entry.tsx'
import { ListPage } from '../query-view.tsx'
import { SuggestionCounts } from '../suggestion-counts.tsx'
import { type ApiKey, accessOf, keysChanged, NewKey } from './new-key.tsx'

const keysQuery = queryOptions({
  queryKey: queryKeys.apiKeys,
  queryFn: () => ask(api.console.keys.get()),
})

/** The API keys of the organization. */
export function KeysPage() {
  const query = useQuery(() => ({ ...keysQuery, reconcile: 'id' }))
  return (
    <ListPage
      title="API keys"
      lead={
        <>
          API keys let your software use Bellhop. Start with the <DocsLink to="/docs/api">guide</DocsLink>, or
          see the <DocsLink to="/docs">reference</DocsLink>.
        </>
      }
      query={query}
      what="API keys"
      label="Keys"
      add={{ text: 'New key', dialog: (close) => <NewKey onClose={close} /> }}
      empty={{
        icon: <KeyRound />,
        title: 'No keys yet',
        text: 'Create one for each program that uses the API, so you can revoke it on its own.',
        action: false,
      }}
      row={(key) => <KeyRow apiKey={key} />}
      ended={{
        has: (key) => !isUsable(key),
        title: 'Revoked and expired',
        text: 'Requests with these keys get a 401 error.',
        label: 'Revoked and expired keys',
      }}
    />
  )
}

/** Whether requests with the key are accepted now. */
function isUsable({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>): boolean {
  return !revokedAt && !(expiresAt && Date.parse(expiresAt) <= Date.now())
}

/** A key with its name, prefix, access and times. */
function KeyRow(props: { apiKey: ApiKey }) {
  const revoke = async () => {
    await ask(api.console.keys({ id: props.apiKey.id }).delete())
    keysChanged()
    toast(`Revoked “${props.apiKey.name}”.`)
  }
  return (
    <Entry
      title={
        <>
          {props.apiKey.name}
          <KeyBadges apiKey={props.apiKey} />
        </>
      }
      facts={[
        <span class="mono">{props.apiKey.publicKey ?? `${props.apiKey.prefix}…`}</span>,
        props.apiKey.program && `Acts as ${props.apiKey.program.name}`,
        accessText(props.apiKey),
        props.apiKey.rateLimit && `${props.apiKey.rateLimit.toLocaleString('en')} requests per minute`,
      ]}
      more={
        <>
          <Facts
            facts={[
              <Ago words="Created" at={props.apiKey.createdAt} />,
              <Ago words="Last used" at={props.apiKey.lastUsedAt} otherwise="Never used" />,
              <KeyEnd apiKey={props.apiKey} />,
            ]}
          />
          <SuggestionCounts byId={props.apiKey.id} />
        </>
      }
      actions={
        isUsable(props.apiKey) && (
          <>
            <Show when={props.apiKey.publicKey}>
              {(key) => <CopyButton text={key()} name={`Copy ${props.apiKey.name}`} />}
            </Show>
            <ConfirmButton
              label="Revoke…"
              name={`Revoke ${props.apiKey.name}`}
              isQuiet
              title={`Revoke “${props.apiKey.name}”?`}
              text={`${consequence(props.apiKey)} This can't be undone, but you can create a new key any time.`}
              action="Revoke key"
              onConfirm={revoke}
            />
          </>
        )
      }
    />
  )
}

function KeyBadges(props: { apiKey: ApiKey }) {
  return (
    <>
      <Show when={props.apiKey.kind === 'public'}>
        <Badge title="For the website widget only. Safe to publish.">Public</Badge>
      </Show>
      <Show when={props.apiKey.revokedAt}>
        <Badge tone="red">Revoked</Badge>
      </Show>
      <Show when={!props.apiKey.revokedAt && !isUsable(props.apiKey)}>
        <Badge tone="amber">Expired</Badge>
      </Show>
    </>
  )
}

function KeyEnd(props: { apiKey: ApiKey }) {
  return (
    <Show
      when={props.apiKey.revokedAt}
      fallback={
        <Ago
          words={isUsable(props.apiKey) ? 'Expires' : 'Expired'}
          at={props.apiKey.expiresAt}
          otherwise="Never expires"
        />
      }
    >
      {(at) => <Ago words="Revoked" at={at()} />}
    </Show>
  )
}

function consequence({ kind }: ApiKey): string {
  return kind === 'public'
    ? 'The widget that uses it disappears from your websites at once.'
    : 'Software that uses it loses access at once.'
}

function accessText({ kind, scopes }: ApiKey): string {
  if (kind === 'public') return 'Website widget only'
  return scopes ? accessOf(scopes) : 'Full access'
}

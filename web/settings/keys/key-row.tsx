import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast } from '../../ui/toaster.tsx'
import { type ApiKey, isUsable, keysChanged } from './key-data.ts'

/** A key with its name, prefix, access and times. */
export function KeyRow(props: { apiKey: ApiKey }) {
  const [isAsking, setAsking] = createSignal(false)
  const revoke = async () => {
    await ask(api.console.keys({ id: props.apiKey.id }).delete())
    keysChanged()
    toast(`Revoked “${props.apiKey.name}”.`)
  }
  return (
    <li class="entry">
      <div class="entry-words">
        <p class="entry-title">
          {props.apiKey.name}
          <KeyBadges apiKey={props.apiKey} />
        </p>
        <p class="entry-facts">
          <span class="mono">{props.apiKey.publicKey ?? `${props.apiKey.prefix}…`}</span>
          <span>{accessText(props.apiKey)}</span>
          <Show when={props.apiKey.rateLimit}>
            {(limit) => <span>{limit().toLocaleString('en')} requests per minute</span>}
          </Show>
        </p>
        <KeyTimes apiKey={props.apiKey} />
      </div>
      <Show when={isUsable(props.apiKey)}>
        <div class="entry-actions">
          <Show when={props.apiKey.publicKey}>
            {(key) => <CopyButton text={key()} name={`Copy ${props.apiKey.name}`} />}
          </Show>
          <Button
            size="small"
            look="quiet"
            onClick={() => setAsking(true)}
            aria-label={`Revoke ${props.apiKey.name}`}
          >
            Revoke…
          </Button>
        </div>
      </Show>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title={`Revoke “${props.apiKey.name}”?`}
        text={`${consequence(props.apiKey)} This can't be undone, but you can create a new key any time.`}
        action="Revoke key"
        onConfirm={revoke}
      />
    </li>
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

function KeyTimes(props: { apiKey: ApiKey }) {
  return (
    <p class="entry-facts">
      <span>
        Created <RelativeTime at={props.apiKey.createdAt} isLong />
      </span>
      <Show when={props.apiKey.lastUsedAt} fallback={<span>Never used</span>}>
        {(at) => (
          <span>
            Last used <RelativeTime at={at()} isLong />
          </span>
        )}
      </Show>
      <Show
        when={props.apiKey.revokedAt}
        fallback={
          <Show when={props.apiKey.expiresAt} fallback={<span>Never expires</span>}>
            {(at) => (
              <span>
                {isUsable(props.apiKey) ? 'Expires' : 'Expired'} <RelativeTime at={at()} isLong />
              </span>
            )}
          </Show>
        }
      >
        {(at) => (
          <span>
            Revoked <RelativeTime at={at()} isLong />
          </span>
        )}
      </Show>
    </p>
  )
}

function consequence({ kind }: ApiKey): string {
  return kind === 'public'
    ? 'The widget that uses it disappears from your websites at once.'
    : 'Software that uses it loses access at once.'
}

function accessText({ kind, scopes }: ApiKey): string {
  if (kind === 'public') return 'Website widget only'
  return scopes ? scopes.join(', ') : 'Full access'
}

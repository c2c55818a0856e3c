import { useQuery } from '@tanstack/solid-query'
import KeyRound from 'lucide-solid/icons/key-round'
import Plus from 'lucide-solid/icons/plus'
import { createSignal, For, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page, Section } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { type ApiKey, isUsable, keysQuery } from './key-data.ts'
import { KeyRow } from './key-row.tsx'
import { NewKey } from './new-key.tsx'

/** The API keys of the organization. */
export function KeysPage() {
  const query = useQuery(() => ({ ...keysQuery, reconcile: 'id' }))
  const [isCreating, setCreating] = createSignal(false)
  return (
    <Page
      title="API keys"
      lead={
        <>
          API keys let your software use Bellhop. Start with the <DocsLink to="/docs/api">guide</DocsLink>, or
          see the <DocsLink to="/docs">reference</DocsLink>.
        </>
      }
      actions={
        <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)}>
          New key
        </Button>
      }
    >
      <QueryView query={query} what="API keys" rows={3}>
        {(list) => (
          <>
            <Show when={list().data.some(isUsable)} fallback={<NoKeys />}>
              <KeyList keys={list().data.filter(isUsable)} label="Keys" />
            </Show>
            <Show when={list().data.some((key) => !isUsable(key))}>
              <Section title="Revoked and expired" text="Requests with these keys get a 401 error.">
                <KeyList
                  keys={list().data.filter((key) => !isUsable(key))}
                  label="Revoked and expired keys"
                />
              </Section>
            </Show>
          </>
        )}
      </QueryView>
      <NewKey isOpen={isCreating()} onClose={() => setCreating(false)} />
    </Page>
  )
}

function NoKeys() {
  return (
    <EmptyState
      icon={<KeyRound />}
      title="No keys yet"
      text="Create one for each program that uses the API, so you can revoke it on its own."
    />
  )
}

function KeyList(props: { keys: ApiKey[]; label: string }) {
  return (
    <ul class="entry-list" aria-label={props.label}>
      <For each={props.keys}>{(key) => <KeyRow apiKey={key} />}</For>
    </ul>
  )
}

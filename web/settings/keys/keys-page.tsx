import { useQuery } from '@tanstack/solid-query'
import KeyRound from 'lucide-solid/icons/key-round'
import Plus from 'lucide-solid/icons/plus'
import { createSignal, For, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../loaded.tsx'
import { Page, Section } from '../page.tsx'
import { type ApiKey, isUsable, keysQuery } from './key-data.ts'
import { KeyRow } from './key-row.tsx'
import { NewKey } from './new-key.tsx'

/** Keys by which other programs use the API. */
export function KeysPage() {
  const query = useQuery(() => ({ ...keysQuery, reconcile: 'id' }))
  const [isMaking, setMaking] = createSignal(false)
  return (
    <Page
      title="API keys"
      lead={
        <>
          Your own programs use the API with a key. What it offers stands in the{' '}
          <DocsLink to="/docs">reference</DocsLink>. Start with the <DocsLink to="/docs/api">guide</DocsLink>.
        </>
      }
      actions={
        <Button look="primary" icon={<Plus />} onClick={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      <Loaded query={query} what="The API keys" rows={3}>
        {(list) => (
          <>
            <Show when={list().data.some(isUsable)} fallback={<NoKeys />}>
              <KeyList keys={list().data.filter(isUsable)} label="Keys" />
            </Show>
            <Show when={list().data.some((key) => !isUsable(key))}>
              <Section title="Ended" text="Revoked or expired. Programs that use them get 401.">
                <KeyList keys={list().data.filter((key) => !isUsable(key))} label="Ended keys" />
              </Section>
            </Show>
          </>
        )}
      </Loaded>
      <NewKey isOpen={isMaking()} onClose={() => setMaking(false)} />
    </Page>
  )
}

function NoKeys() {
  return (
    <EmptyState
      icon={<KeyRound />}
      title="No keys yet"
      text="Make one for each program that creates or reads tickets, so that each can be revoked by itself."
    />
  )
}

function KeyList(props: { keys: ApiKey[]; label: string }) {
  return (
    <ul class="entries" aria-label={props.label}>
      <For each={props.keys}>{(key) => <KeyRow apiKey={key} />}</For>
    </ul>
  )
}

import { useMutation, useQuery } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { FormProblem } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../code-block.tsx'
import { isUsable, keysChanged, keysQuery } from '../keys/key-data.ts'
import { Section } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { PlannedChannel } from './planned-channels.tsx'

const PLAN = [
  'A snippet on your pages shows the button. Each conversation becomes a ticket.',
  'Your replies appear in the same window, even when the visitor comes back later.',
]

/** The website widget, which is not available yet, and the public key it will use. */
export function WidgetPage() {
  const query = useQuery(() => ({ ...keysQuery, reconcile: 'id' }))
  return (
    <PlannedChannel
      title="Website widget"
      lead="Let visitors contact you from a button in the corner of any page."
      status="The widget isn't available yet. For now, a form on your website can create tickets through the API."
      plan={PLAN}
    >
      <Section title="Public key" text="This key is public. It works only for the widget.">
        <QueryView query={query} what="the public key" rows={1}>
          {(list) => (
            <Show
              when={list().data.find((key) => key.publicKey && isUsable(key))?.publicKey}
              fallback={<CreatePublicKey />}
            >
              {(key) => <CodeBlock label="Public key" code={key()} />}
            </Show>
          )}
        </QueryView>
      </Section>
    </PlannedChannel>
  )
}

function CreatePublicKey() {
  const create = useMutation(() => ({
    mutationFn: () => ask(api.console.keys.post({ name: 'Website widget', kind: 'public' })),
    onSuccess: keysChanged,
  }))
  return (
    <div class="card">
      <p class="muted">No key yet.</p>
      <FormProblem error={create.error} />
      <div class="card-foot">
        <Button isBusy={create.isPending} onClick={() => create.mutate()}>
          Create public key
        </Button>
      </div>
    </div>
  )
}

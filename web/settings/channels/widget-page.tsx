import { useMutation, useQuery } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { FormProblem } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../code-block.tsx'
import { isUsable, keysChanged, keysQuery } from '../keys/key-data.ts'
import { Loaded } from '../loaded.tsx'
import { Section } from '../page.tsx'
import { PlannedChannel } from './planned-channel.tsx'

const PLAN = [
  'A snippet in your pages will show the button; what a visitor writes becomes a ticket.',
  'Your replies will appear in the same window, also when the visitor comes back later.',
]

/** The website widget: what it will do, that it is not there yet, and the public key that it will use. */
export function WidgetPage() {
  const query = useQuery(() => ({ ...keysQuery, reconcile: 'id' }))
  return (
    <PlannedChannel
      title="Website widget"
      lead="Visitors of your website will write to you from a button in the corner of any page."
      status="This version of Bellhop comes without the widget. Until then, a form of your website can create tickets with the API."
      plan={PLAN}
    >
      <Section
        title="Public key"
        text="The snippet will carry it, so everybody may see it. It opens nothing but the widget: the API refuses it."
      >
        <Loaded query={query} what="The public key" rows={1}>
          {(list) => (
            <Show
              when={list().data.find((key) => key.publicKey && isUsable(key))?.publicKey}
              fallback={<MakePublicKey />}
            >
              {(key) => <CodeBlock label="Public key" code={key()} />}
            </Show>
          )}
        </Loaded>
      </Section>
    </PlannedChannel>
  )
}

function MakePublicKey() {
  const make = useMutation(() => ({
    mutationFn: () => ask(api.console.keys.post({ name: 'Website widget', kind: 'public' })),
    onSuccess: keysChanged,
  }))
  return (
    <div class="card">
      <p class="muted">There is none yet.</p>
      <FormProblem error={make.error} />
      <div class="card-foot">
        <Button isBusy={make.isPending} onClick={() => make.mutate()}>
          Create a public key
        </Button>
      </div>
    </div>
  )
}

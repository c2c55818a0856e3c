import { useMutation } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { CodeBlock } from '../code-block.tsx'
import { LocalAddress } from '../local-address.tsx'
import { Section } from '../page-layout.tsx'
import { saveWidget, showWidget, type Widget } from './widget-data.ts'

/** What browsers send for a file, and for a frame in a sandbox. */
const NO_ORIGIN = 'null'

/** The snippet, whether it was seen on a website, and the key in it. */
export function Install(props: { widget: Widget }) {
  return (
    <Section
      title="Snippet"
      text={
        <>
          Paste it before <code>&lt;/body&gt;</code> on every page that should show the widget.
        </>
      }
      actions={<DocsLink to="/docs/widget">Where to put it</DocsLink>}
    >
      <CodeBlock label="Snippet" code={props.widget.snippet} />
      <LocalAddress url={scriptOf(props.widget.snippet)} what="This snippet" />
      <p class="muted" role="status">
        <Seen widget={props.widget} />
      </p>
      <Refused widget={props.widget} />
      <p class="muted small">
        Only if your website sends a <code>Content-Security-Policy</code>, add our address to it:
      </p>
      <CodeBlock label="Content security policy" code={policyFor(props.widget.snippet)} />
      <NewKey widget={props.widget} />
    </Section>
  )
}

function Seen(props: { widget: Widget }) {
  return (
    <Show
      when={props.widget.seen}
      fallback="Not seen on any website yet. Open a page with the snippet to check it."
    >
      {(seen) => (
        <>
          Seen on {seen().url}, <RelativeTime at={seen().at} isLong />.
        </>
      )}
    </Show>
  )
}

/** The website that was refused last. */
function Refused(props: { widget: Widget }) {
  const allow = useMutation(() => ({
    mutationFn: (origin: string) =>
      saveWidget(props.widget.id, { origins: [...props.widget.origins, origin] }),
    onSuccess: (widget: Widget, origin) => {
      showWidget(widget)
      toast(`Allowed ${origin}.`)
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  return (
    <Show when={props.widget.refused}>
      {(last) => (
        <div class="notice notice-row">
          <Show
            when={last().url !== NO_ORIGIN}
            fallback={
              <p>
                Refused: a page without an address, <RelativeTime at={last().at} isLong />. It was opened from
                a file or in a sandbox. Open it from a web server.
              </p>
            }
          >
            <p>
              Refused: {last().url}, <RelativeTime at={last().at} isLong />. It isn't one of your websites
              below.
            </p>
            <Button size="small" isBusy={allow.isPending} onClick={() => allow.mutate(last().url)}>
              Allow {last().url}
            </Button>
          </Show>
        </div>
      )}
    </Show>
  )
}

function NewKey(props: { widget: Widget }) {
  const [isAsking, setAsking] = createSignal(false)
  const replace = async () => {
    showWidget(await ask(api.console.widgets({ id: props.widget.id }).key.post()))
    toast('New key created. Put the new snippet on your website.')
  }
  return (
    <div>
      <Button onClick={() => setAsking(true)}>Create new key…</Button>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title="Create a new key?"
        text="The current snippet stops working immediately. The widget disappears from your website until you replace the snippet there."
        action="Create new key"
        onConfirm={replace}
      />
    </div>
  )
}

/** The origin of the script in the snippet, for both directives. */
function policyFor(snippet: string): string {
  const origin = URL.parse(scriptOf(snippet))?.origin ?? ''
  return `script-src ${origin}; connect-src ${origin}`
}

/** The address of the script in the snippet. */
function scriptOf(snippet: string): string {
  return /src="([^"]*)"/.exec(snippet)?.[1] ?? ''
}

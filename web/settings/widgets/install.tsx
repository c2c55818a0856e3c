import Plus from 'lucide-solid/icons/plus'
import X from 'lucide-solid/icons/x'
import { Index, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { faultAt } from '../../api/api-problem.ts'
import { ActionButton } from '../../forms/action.tsx'
import { ConfirmButton } from '../../forms/confirm-dialog.tsx'
import { CardForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { CodeBlock, LocalAddress } from '../code-block.tsx'
import { Section } from '../page.tsx'
import { createWidgetForm, saveWidget, type Widget, websiteOf, widgets } from './widget-data.ts'

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
  return (
    <Show when={props.widget.refused}>
      {(last) => (
        <div class="notice row">
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
            <ActionButton
              size="small"
              run={() => saveWidget(props.widget.id, { origins: [...props.widget.origins, last().url] })}
              onDone={(widget) => {
                const origin = last().url
                widgets.show(widget)
                return `Allowed ${origin}.`
              }}
            >
              Allow {last().url}
            </ActionButton>
          </Show>
        </div>
      )}
    </Show>
  )
}

function NewKey(props: { widget: Widget }) {
  const replace = async () => {
    widgets.show(await ask(api.console.widgets({ id: props.widget.id }).key.post()))
    toast('New key created. Put the new snippet on your website.')
  }
  return (
    <div>
      <ConfirmButton
        label="Create new key…"
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

/** The websites that may show the widget. */
export function Websites(props: { widget: Widget }) {
  const form = createWidgetForm({
    what: 'the websites',
    widget: () => props.widget,
    valuesOf: ({ origins }) => ({ origins: [...origins] }),
    changeOf: ({ origins }) => ({ origins: origins.map(websiteOf).filter((origin) => origin !== '') }),
  })
  const origins = () => form.values.origins
  const set = (index: number, origin: string) =>
    form.set({ origins: origins().map((one, at) => (at === index ? origin : one)) })
  const remove = (index: number) => form.set({ origins: origins().filter((_, at) => at !== index) })
  // Empty lines aren't sent, so the numbers of the server count only the others.
  const errorAt = (index: number) => {
    const sent = origins()
      .slice(0, index)
      .filter((origin) => origin.trim() !== '').length
    return faultAt(form.error(), `origins/${sent}`)
  }
  return (
    <Section
      title="Websites"
      text="The widget only works on these sites. https://*.example.com covers all subdomains of example.com."
      actions={<DocsLink to="/docs/widget#websites">Allowed addresses</DocsLink>}
    >
      <CardForm
        form={form}
        action="Save websites"
        beside={
          <Button icon={<Plus />} onClick={() => form.set({ origins: [...origins(), ''] })}>
            Add website
          </Button>
        }
      >
        <ul class="stack-tight">
          <Index each={origins()}>
            {(origin, index) => {
              form.errorAt(`origins/${index}`)
              return (
                <li class="websites-row">
                  <TextField
                    label={`Website ${index + 1}`}
                    isLabelHidden
                    placeholder="https://example.com"
                    inputmode="url"
                    value={origin()}
                    onInput={(typed) => set(index, typed)}
                    error={errorAt(index)}
                  />
                  <IconButton
                    name={`Remove ${origin() || `website ${index + 1}`}`}
                    onClick={() => remove(index)}
                  >
                    <X />
                  </IconButton>
                </li>
              )
            }}
          </Index>
        </ul>
      </CardForm>
    </Section>
  )
}

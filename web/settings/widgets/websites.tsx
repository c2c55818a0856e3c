import Plus from 'lucide-solid/icons/plus'
import X from 'lucide-solid/icons/x'
import { Index } from 'solid-js'
import { faultAt } from '../../api/api-problem.ts'
import { CardForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Section } from '../page.tsx'
import { createWidgetForm, type Widget, websiteOf } from './widget-data.ts'

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

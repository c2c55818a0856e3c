import { createEffect } from 'solid-js'
import { CardForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Select } from '../../ui/select.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { Section } from '../page.tsx'
import { ColorField } from './color-field.tsx'
import { createWidgetForm, type Widget } from './widget-data.ts'

type Look = Widget['appearance']

const POSITIONS = [
  { value: 'right', label: 'Right corner' },
  { value: 'left', label: 'Left corner' },
] as const
const THEMES = [
  { value: 'auto', label: "The visitor's setting" },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const
const LANGUAGES = [
  { value: 'auto', label: 'The language of the page' },
  { value: 'en', label: 'English' },
  { value: 'de', label: 'Deutsch' },
  { value: 'fr', label: 'Français' },
  { value: 'es', label: 'Español' },
  { value: 'pt', label: 'Português' },
] as const

/** How the widget looks. `onTyped` gets each change before it is saved. */
export function Appearance(props: { widget: Widget; onTyped: (look: Look) => void }) {
  const form = createWidgetForm<Look>({
    what: 'the appearance',
    widget: () => props.widget,
    valuesOf: ({ appearance }) => ({ ...appearance }),
    changeOf: (appearance) => ({ appearance }),
    at: 'appearance',
  })
  createEffect(() => props.onTyped({ ...form.values }))
  return (
    <Section title="Appearance">
      <CardForm form={form} action="Save appearance">
        <TextField
          {...form.text('title')}
          label="Title"
          hint="Your team's name, shown at the top of the panel."
          required
        />
        <TextArea
          {...form.text('greeting')}
          label="Greeting"
          hint="Shown before the first message. Leave empty for a greeting in the visitor's language."
          rows={2}
        />
        <ColorField {...form.text('color')} />
        <div class="form-columns">
          <Select {...form.choice('position')} label="Position" options={POSITIONS} />
          <Select {...form.choice('theme')} label="Theme" options={THEMES} />
        </div>
        <Select {...form.choice('language')} label="Language" options={LANGUAGES} />
        <Checkbox
          {...form.check('sound')}
          label="Notify visitors of new replies"
          hint="With a sound and in the page title. Visitors can turn it off."
        />
      </CardForm>
    </Section>
  )
}

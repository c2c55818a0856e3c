import { createEffect } from 'solid-js'
import { fieldError } from '../../api/api-problem.ts'
import { CardForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Select } from '../../ui/select.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { Section } from '../page-layout.tsx'
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
const FIELDS = ['appearance/title', 'appearance/greeting', 'appearance/color'] as const

/** How the widget looks. `onTyped` gets each change before it is saved. */
export function Appearance(props: { widget: Widget; onTyped: (look: Look) => void }) {
  const form = createWidgetForm<Look>('the appearance', () => props.widget, {
    valuesOf: ({ appearance }) => ({ ...appearance }),
    changeOf: (appearance) => ({ appearance }),
  })
  createEffect(() => props.onTyped({ ...form.values }))
  const errorOf = (field: keyof Look) => fieldError(form.submit.error, `appearance/${field}`)
  return (
    <Section title="Appearance">
      <CardForm save={form.submit} fields={FIELDS} action="Save appearance" isUnchanged={!form.isChanged()}>
        <TextField
          label="Title"
          hint="Your team's name, shown at the top of the panel."
          value={form.values.title}
          onInput={(title) => form.setValues({ title })}
          error={errorOf('title')}
          required
        />
        <TextArea
          label="Greeting"
          hint="Shown before the first message. Leave empty for a greeting in the visitor's language."
          rows={2}
          value={form.values.greeting}
          onInput={(greeting) => form.setValues({ greeting })}
          error={errorOf('greeting')}
        />
        <ColorField
          value={form.values.color}
          onInput={(color) => form.setValues({ color })}
          error={errorOf('color')}
        />
        <div class="form-columns">
          <Select
            label="Position"
            options={POSITIONS}
            value={form.values.position}
            onChange={(position) => form.setValues({ position })}
          />
          <Select
            label="Theme"
            options={THEMES}
            value={form.values.theme}
            onChange={(theme) => form.setValues({ theme })}
          />
        </div>
        <Select
          label="Language"
          options={LANGUAGES}
          value={form.values.language}
          onChange={(language) => form.setValues({ language })}
        />
        <Checkbox
          label="Notify visitors of new replies"
          hint="With a sound and in the page title. Visitors can turn it off."
          isChecked={form.values.sound}
          onChange={(sound) => form.setValues({ sound })}
        />
      </CardForm>
    </Section>
  )
}

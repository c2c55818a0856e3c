import { createEffect, Show } from 'solid-js'
import { CardForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { Section } from '../page.tsx'
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

/** `#rrggbb` */
const COLOR = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i
/** Below it, a shape is hard to see on its ground (WCAG 2.2, 1.4.11). */
const MIN_SHAPE_CONTRAST = 3

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

interface ColorFieldProps {
  value: string
  onInput: (color: string) => void
  error?: string | undefined
}

/** The brand color, picked or typed, with the text that will be on it. */
function ColorField(props: ColorFieldProps) {
  const check = () => checkColor(props.value)
  return (
    <Field
      label="Color"
      error={props.error}
      hint={<Show when={check()}>{(color) => <>{sentenceOf(color())}</>}</Show>}
    >
      {(ids) => (
        <div class="color-field">
          <input
            type="color"
            class="color-field-pick"
            aria-label="Pick a color"
            value={check() ? props.value.trim() : '#000000'}
            onInput={(event) => props.onInput(event.currentTarget.value)}
          />
          <input
            {...ids}
            type="text"
            class="field-input mono"
            maxlength={7}
            spellcheck={false}
            autocomplete="off"
            value={props.value}
            onInput={(event) => props.onInput(event.currentTarget.value)}
          />
          <Show when={check()}>
            {(color) => (
              <span
                class="color-field-sample"
                aria-hidden="true"
                style={{ 'background-color': props.value.trim(), color: color().text }}
              >
                Aa
              </span>
            )}
          </Show>
        </div>
      )}
    </Field>
  )
}

function sentenceOf({ text, textContrast, onWhite, onBlack }: ColorCheck) {
  const first = `${text === 'white' ? 'White' : 'Black'} text, contrast ${textContrast.toFixed(1)}:1.`
  if (onWhite < MIN_SHAPE_CONTRAST)
    return `${first} The button is hard to see on a white page (${onWhite.toFixed(1)}:1).`
  if (onBlack < MIN_SHAPE_CONTRAST)
    return `${first} The button is hard to see on a black page (${onBlack.toFixed(1)}:1).`
  return first
}

/** The text on a color, and how well both can be seen. Ratios are those of WCAG 2.2, from 1 to 21. */
interface ColorCheck {
  text: 'white' | 'black'
  textContrast: number
  /** Contrast of the color with a white page and with a black one. */
  onWhite: number
  onBlack: number
}

/** Undefined for what isn't a color. */
function checkColor(color: string): ColorCheck | undefined {
  const luminance = luminanceOf(color)
  if (luminance === undefined) return undefined
  const onWhite = 1.05 / (luminance + 0.05)
  const onBlack = (luminance + 0.05) / 0.05
  return {
    text: onWhite >= onBlack ? 'white' : 'black',
    textContrast: Math.max(onWhite, onBlack),
    onWhite,
    onBlack,
  }
}

/** Relative luminance (WCAG 2.2), from 0 to 1. */
function luminanceOf(color: string): number | undefined {
  const match = COLOR.exec(color.trim())
  if (!match) return undefined
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((part) => {
    const share = Number.parseInt(part, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

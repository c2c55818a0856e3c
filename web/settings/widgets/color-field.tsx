import { Show } from 'solid-js'
import { Field } from '../../ui/field.tsx'

/** `#rrggbb` */
const COLOR = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i
/** Below it, a shape is hard to see on its ground (WCAG 2.2, 1.4.11). */
const MIN_SHAPE_CONTRAST = 3

interface ColorFieldProps {
  value: string
  onInput: (color: string) => void
  error?: string | undefined
}

/** The brand color, picked or typed, with the text that will be on it. */
export function ColorField(props: ColorFieldProps) {
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

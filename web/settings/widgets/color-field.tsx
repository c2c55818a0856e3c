import { Show } from 'solid-js'
import { Field } from '../../ui/field.tsx'
import { checkColor } from './contrast.ts'
import './color-field.css'

/** Below it, a shape is hard to see on its ground (WCAG 2.2, 1.4.11). */
const MIN_SHAPE_CONTRAST = 3

interface ColorFieldProps {
  value: string
  onInput: (color: string) => void
  error: string | undefined
}

/** The brand color, picked or typed, with the text that will be on it. */
export function ColorField(props: ColorFieldProps) {
  const check = () => checkColor(props.value)
  return (
    <Field
      label="Color"
      error={props.error}
      hint={<Show when={check()}>{(found) => <>{sentenceOf(found())}</>}</Show>}
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
            {(found) => (
              <span
                class="color-field-sample"
                aria-hidden="true"
                style={{ 'background-color': props.value.trim(), color: found().text }}
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

function sentenceOf({ text, textContrast, onWhite, onBlack }: NonNullable<ReturnType<typeof checkColor>>) {
  const first = `${text === 'white' ? 'White' : 'Black'} text, contrast ${textContrast.toFixed(1)}:1.`
  if (onWhite < MIN_SHAPE_CONTRAST)
    return `${first} The button is hard to see on a white page (${onWhite.toFixed(1)}:1).`
  if (onBlack < MIN_SHAPE_CONTRAST)
    return `${first} The button is hard to see on a black page (${onBlack.toFixed(1)}:1).`
  return first
}

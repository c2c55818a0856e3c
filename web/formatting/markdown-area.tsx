import { createSignal } from 'solid-js'
import { Field, type FieldProps } from '../ui/field.tsx'
import { FormatToolbar } from './format-toolbar.tsx'
import './format-toolbar.css'
import { FormattedField } from './formatted-field.tsx'
import type { WritingField } from './writing-field.ts'

interface MarkdownAreaProps extends FieldProps {
  value: string
  onInput: (markdown: string) => void
  rows?: number
  required?: boolean
  onKeyDown?: (event: KeyboardEvent) => void
  ref?: (field: WritingField) => void
}

const ROWS = 4

/** A labeled field for a formatted text, with its toolbar. */
export function MarkdownArea(props: MarkdownAreaProps) {
  const [field, setField] = createSignal<WritingField>()
  return (
    <Field
      label={props.label}
      isLabelHidden={props.isLabelHidden}
      hint={props.hint}
      error={props.error}
      aside={props.aside}
      below={<FormatToolbar field={field} />}
    >
      {(ids) => (
        <FormattedField
          id={ids.id}
          describedBy={ids['aria-describedby']}
          isInvalid={ids['aria-invalid']}
          isRequired={props.required}
          class="field-input text-field-area markdown-area"
          label={props.label}
          value={props.value}
          onInput={props.onInput}
          onKeyDown={props.onKeyDown}
          rows={props.rows ?? ROWS}
          field={(written) => {
            setField(written)
            props.ref?.(written)
          }}
        />
      )}
    </Field>
  )
}

import ChevronsUpDown from 'lucide-solid/icons/chevrons-up-down'
import { Button } from '../../ui/button.tsx'
import { Field, type FieldProps } from '../../ui/field.tsx'
import { Picker } from '../../ui/picker.tsx'
import './folder-picker.css'

interface FolderPickerProps extends FieldProps {
  chosen: readonly string[]
  onChange: (folders: string[]) => void
  /** Folders that are on the server. Others can be typed. */
  known: readonly string[]
  /** Shown while nothing is chosen. */
  none: string
  isMultiple?: boolean
}

/** Chooses folders of the mailbox by name. */
export function FolderPicker(props: FolderPickerProps) {
  const names = () => [...new Set([...props.known, ...props.chosen])]
  function pick(name: string) {
    const others = props.chosen.filter((one) => one !== name)
    const isChosen = others.length < props.chosen.length
    if (isChosen) props.onChange(others)
    else props.onChange(props.isMultiple ? [...others, name] : [name])
  }
  return (
    <Field
      label={props.label}
      hint={props.hint}
      aside={props.aside}
      {...(props.error && { error: props.error })}
    >
      {(ids) => (
        <Picker
          label={props.label}
          options={names().map((name) => ({ value: name, label: name }))}
          selected={props.chosen}
          onPick={pick}
          onCreate={pick}
          isMultiple={props.isMultiple ?? false}
          trigger={(given) => (
            <Button
              {...given}
              {...ids}
              class="folder-picker"
              aria-label={`${props.label}: ${props.chosen.join(', ') || props.none}`}
            >
              <span class="folder-picker-names">{props.chosen.join(', ') || props.none}</span>
              <ChevronsUpDown />
            </Button>
          )}
        />
      )}
    </Field>
  )
}

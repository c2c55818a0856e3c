import type { PickerOption } from './picker.tsx'

/** The value of the option that makes a new one of what was typed. */
export const CREATE = '\0create'

interface Choices {
  options: readonly PickerOption[]
  onCreate?: (text: string) => void
}

/** Those that begin with the text first, then those that contain it, then the new one. */
export function matching(props: Choices, text: string): PickerOption[] {
  const wanted = text.toLocaleLowerCase()
  const found = props.options.flatMap((option) => {
    const at = `${option.label} ${option.detail ?? ''}`.toLocaleLowerCase().indexOf(wanted)
    return at < 0 ? [] : [{ option, rank: at === 0 ? 0 : 1 }]
  })
  found.sort((a, b) => a.rank - b.rank)
  const isKnown = props.options.some(({ label }) => label.toLocaleLowerCase() === wanted)
  const created = text && props.onCreate && !isKnown ? [{ value: CREATE, label: `Create “${text}”` }] : []
  return [...found.map(({ option }) => option), ...created]
}

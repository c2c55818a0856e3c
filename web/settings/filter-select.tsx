import { type Option, Select } from '../ui/select.tsx'

const ANY = 'any'

interface FilterSelectProps<Value extends string> {
  /** For screen readers. The chosen value makes it clear to others. */
  label: string
  /** The option without a filter: "All events". */
  anyLabel: string
  options: readonly Option<Value>[]
  value: Value | undefined
  /** Null removes the filter. */
  onChange: (value: Value | null) => void
}

/** A select that filters a log. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const options = (): Option<Value | typeof ANY>[] => [
    { value: ANY, label: props.anyLabel },
    ...props.options,
  ]
  return (
    <Select
      label={props.label}
      isLabelHidden
      options={options()}
      value={props.value ?? ANY}
      onChange={(value) => props.onChange(value === ANY ? null : value)}
    />
  )
}

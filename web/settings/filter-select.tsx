import { type Option, Select } from '../ui/select.tsx'

const ANY = 'any'

interface FilterSelectProps<Value extends string> {
  /** For screen readers: what is chosen says it to everybody else. */
  label: string
  /** What stands there while nothing is filtered: "Every event". */
  anyLabel: string
  options: readonly Option<Value>[]
  value: Value | undefined
  /** Null takes the filter away. */
  onChange: (value: Value | null) => void
}

/** One filter of a log. */
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

import { For, Show } from 'solid-js'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { SCOPES, type Scope } from './key-data.ts'

const DAY_MS = 86_400_000

export interface KeyValues {
  name: string
  /** The whole API, or only the chosen scopes. */
  access: 'full' | 'scoped'
  scopes: Scope[]
  rateLimit: string
  expiry: Expiry
  /** The value of `<input type="date">`. The key expires at the end of that day, in this time zone. */
  lastDay: string
}

type Expiry = 'never' | 'month' | 'quarter' | 'year' | 'day'

const EXPIRIES: { value: Expiry; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: 'month', label: 'In 30 days' },
  { value: 'quarter', label: 'In 90 days' },
  { value: 'year', label: 'In 1 year' },
  { value: 'day', label: 'On a date…' },
]
const ACCESS = [
  { value: 'full', label: 'Full access' },
  { value: 'scoped', label: 'Limited…' },
] as const
const DAYS = { month: 30, quarter: 90, year: 365 } as const

export function newKeyValues(): KeyValues {
  return { name: '', access: 'full', scopes: [], rateLimit: '', expiry: 'never', lastDay: '' }
}

/** The request body, with only what was chosen. */
export function bodyOf({ name, access, scopes, rateLimit, ...when }: KeyValues) {
  const expiresAt = endOf(when)
  return {
    name,
    ...(access === 'scoped' && { scopes: [...scopes] }),
    ...(rateLimit !== '' && { rateLimit: Number(rateLimit) }),
    ...(expiresAt && { expiresAt }),
  }
}

interface KeyFieldProps {
  values: KeyValues
  onChange: (change: Partial<KeyValues>) => void
  error: string | undefined
}

/** When the key expires. */
export function KeyExpiry(props: KeyFieldProps) {
  const isDay = () => props.values.expiry === 'day'
  return (
    <div class="stack-tight">
      <Select
        label="Expires"
        options={EXPIRIES}
        value={props.values.expiry}
        onChange={(expiry) => props.onChange({ expiry })}
        hint={
          props.values.expiry === 'never'
            ? 'The key works until you revoke it.'
            : 'The key stops working then.'
        }
        error={isDay() ? undefined : props.error}
      />
      <Show when={isDay()}>
        <TextField
          label="Last day"
          type="date"
          value={props.values.lastDay}
          onInput={(lastDay) => props.onChange({ lastDay })}
          error={props.error}
          required
        />
      </Show>
    </div>
  )
}

/** Full access, or the chosen scopes. */
export function KeyScopes(props: KeyFieldProps) {
  const toggle = (scope: Scope, isChosen: boolean) => {
    const others = props.values.scopes.filter((one) => one !== scope)
    props.onChange({ scopes: isChosen ? [...others, scope] : others })
  }
  return (
    <fieldset class="form-choices">
      <legend>Access</legend>
      <SegmentedControl
        label="Access"
        options={ACCESS}
        value={props.values.access}
        onChange={(access) => props.onChange({ access })}
      />
      <Show
        when={props.values.access === 'scoped'}
        fallback={<p class="field-hint">Can use the whole API for this organization.</p>}
      >
        <For each={SCOPES}>
          {({ scope, text }) => (
            <Checkbox
              label={<span class="mono">{scope}</span>}
              hint={text}
              isChecked={props.values.scopes.includes(scope)}
              onChange={(isChosen) => toggle(scope, isChosen)}
            />
          )}
        </For>
      </Show>
      <Show when={props.error}>{(fault) => <ErrorText>{fault()}</ErrorText>}</Show>
    </fieldset>
  )
}

function endOf({ expiry, lastDay }: Pick<KeyValues, 'expiry' | 'lastDay'>): string | undefined {
  if (expiry === 'never') return undefined
  if (expiry !== 'day') return new Date(Date.now() + DAYS[expiry] * DAY_MS).toISOString()
  const end = new Date(`${lastDay}T23:59:59.999`)
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString()
}

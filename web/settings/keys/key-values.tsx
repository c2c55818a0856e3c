import { Show } from 'solid-js'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { Scope } from './key-data.ts'

const DAY_MS = 86_400_000

export interface KeyValues {
  name: string
  /** Everything, or only the chosen scopes. */
  access: 'full' | 'scoped'
  scopes: Scope[]
  rateLimit: string
  expiry: Expiry
  /** A day as `<input type="date">` holds it; the key ends as that day does, in this time zone. */
  lastDay: string
}

type Expiry = 'never' | 'month' | 'quarter' | 'year' | 'day'

const EXPIRIES: { value: Expiry; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: 'month', label: 'In 30 days' },
  { value: 'quarter', label: 'In 90 days' },
  { value: 'year', label: 'In a year' },
  { value: 'day', label: 'After a day…' },
]
const DAYS = { month: 30, quarter: 90, year: 365 } as const

export function startValues(): KeyValues {
  return { name: '', access: 'full', scopes: [], rateLimit: '', expiry: 'never', lastDay: '' }
}

/** What is sent: only what was chosen. */
export function bodyOf({ name, access, scopes, rateLimit, ...when }: KeyValues) {
  const expiresAt = endOf(when)
  return {
    name,
    ...(access === 'scoped' && { scopes: [...scopes] }),
    ...(rateLimit !== '' && { rateLimit: Number(rateLimit) }),
    ...(expiresAt && { expiresAt }),
  }
}

interface KeyExpiryProps {
  values: KeyValues
  onChange: (change: Partial<KeyValues>) => void
  error: string | undefined
}

/** When the key ends by itself. */
export function KeyExpiry(props: KeyExpiryProps) {
  const isDay = () => props.values.expiry === 'day'
  return (
    <div class="stack-tight">
      <Select
        label="Expires"
        options={EXPIRIES}
        value={props.values.expiry}
        onChange={(expiry) => props.onChange({ expiry })}
        hint="It ends by itself, should it be forgotten."
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

function endOf({ expiry, lastDay }: Pick<KeyValues, 'expiry' | 'lastDay'>): string | undefined {
  if (expiry === 'never') return undefined
  if (expiry !== 'day') return new Date(Date.now() + DAYS[expiry] * DAY_MS).toISOString()
  const end = new Date(`${lastDay}T23:59:59.999`)
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString()
}

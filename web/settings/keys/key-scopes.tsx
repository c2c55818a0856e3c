import { For, Show } from 'solid-js'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { SCOPES, type Scope } from './key-data.ts'
import type { KeyValues } from './key-values.tsx'

const ACCESS = [
  { value: 'full', label: 'Full access' },
  { value: 'scoped', label: 'Limited…' },
] as const

interface KeyScopesProps {
  values: KeyValues
  onChange: (change: Partial<KeyValues>) => void
  error: string | undefined
}

/** Full access, or the chosen scopes. */
export function KeyScopes(props: KeyScopesProps) {
  const toggle = (scope: Scope, isChosen: boolean) => {
    const others = props.values.scopes.filter((one) => one !== scope)
    props.onChange({ scopes: isChosen ? [...others, scope] : others })
  }
  return (
    <fieldset class="choices">
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

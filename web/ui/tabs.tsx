import { Tabs as Base } from '@kobalte/core/tabs'
import { For, type JSX } from 'solid-js'
import './tabs.css'

interface Tab {
  value: string
  label: string
  content: () => JSX.Element
}

/** Views of one thing, one at a time, below their names. Arrow keys move between the names. */
export function Tabs(props: {
  label: string
  tabs: readonly Tab[]
  value?: string
  onChange?: (value: string) => void
}) {
  return (
    <Base class="tabs" value={props.value} onChange={props.onChange}>
      <Base.List class="tabs-list" aria-label={props.label}>
        <For each={props.tabs}>
          {(tab) => (
            <Base.Trigger class="tabs-name" value={tab.value}>
              {tab.label}
            </Base.Trigger>
          )}
        </For>
      </Base.List>
      <For each={props.tabs}>
        {(tab) => (
          <Base.Content class="tabs-content" value={tab.value}>
            {tab.content()}
          </Base.Content>
        )}
      </For>
    </Base>
  )
}

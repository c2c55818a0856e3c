import { Popover } from '@kobalte/core/popover'
import Check from 'lucide-solid/icons/check'
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, on, Show } from 'solid-js'
import { CREATE, matching } from './matching.ts'
import type { TriggerProps } from './menu.tsx'
import './menu.css'
import './picker.css'
import { spareFromHiding } from './top-layer.ts'

export interface PickerOption {
  value: string
  label: string
  /** Searched too, and shown behind the label: an address, a count. */
  detail?: string
  icon?: JSX.Element
}

interface PickerProps {
  /** What is picked: "Assignee". Names the search field and the list. */
  label: string
  trigger: (given: TriggerProps) => JSX.Element
  options: readonly PickerOption[]
  /** The values with a tick. */
  selected: readonly string[]
  /** With `isMultiple` it stays open, and picking a ticked one takes the tick away: the page decides. */
  onPick: (value: string) => void
  isMultiple?: boolean
  /** Offers what was typed as a new one: "Create tag …". */
  onCreate?: (text: string) => void
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  /** Shown when nothing matches and nothing can be created. */
  emptyText?: string
}

/** A list that is searched by typing, below a button: assignee, tags. Arrow keys, Enter, Escape. */
export function Picker(props: PickerProps) {
  const [isOpenHere, setOpenHere] = createSignal(false)
  const isOpen = () => props.isOpen ?? isOpenHere()
  function setOpen(next: boolean) {
    setOpenHere(next)
    props.onOpenChange?.(next)
  }
  return (
    <Popover open={isOpen()} onOpenChange={setOpen} placement="bottom-start" gutter={4}>
      <Popover.Trigger as={(given: TriggerProps) => props.trigger(given)} />
      <Popover.Portal ref={spareFromHiding}>
        <Popover.Content class="menu picker" aria-label={props.label}>
          <PickerList {...props} onDone={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover>
  )
}

/** The search field and the list of a `Picker`, for places that are open already, such as a dialog. */
export function PickerList(props: Omit<PickerProps, 'trigger'> & { onDone: () => void }) {
  const listId = createUniqueId()
  const [text, setText] = createSignal('')
  const [active, setActive] = createSignal(0)
  const shown = createMemo(() => matching(props, text().trim()))
  createEffect(on(text, () => setActive(0), { defer: true }))
  const activeId = () => (shown()[active()] ? `${listId}-${active()}` : undefined)
  createEffect(() => document.getElementById(activeId() ?? '')?.scrollIntoView({ block: 'nearest' }))

  function pick(option: PickerOption | undefined) {
    if (!option) return
    if (option.value === CREATE) props.onCreate?.(text().trim())
    else props.onPick(option.value)
    setText('')
    if (!props.isMultiple) props.onDone()
  }

  function onKeyDown(event: KeyboardEvent) {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step) setActive((at) => (at + step + shown().length) % Math.max(shown().length, 1))
    else if (event.key === 'Enter' && !event.isComposing) pick(shown()[active()])
    else return
    event.preventDefault()
  }

  return (
    <>
      <input
        class="picker-search"
        role="combobox"
        aria-label={props.label}
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={activeId()}
        placeholder={`${props.label}…`}
        autocomplete="off"
        spellcheck={false}
        ref={(field) => queueMicrotask(() => field.focus({ preventScroll: true }))}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div
        class="picker-list"
        role="listbox"
        id={listId}
        aria-label={props.label}
        aria-multiselectable={props.isMultiple}
      >
        <For each={shown()}>
          {(option, index) => (
            <div
              class="menu-item"
              role="option"
              tabIndex={-1}
              id={`${listId}-${index()}`}
              aria-selected={props.selected.includes(option.value)}
              data-highlighted={index() === active() ? '' : undefined}
              onPointerMove={() => setActive(index())}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(option)}
              onKeyDown={onKeyDown}
            >
              {option.icon}
              <span class="menu-text">{option.label}</span>
              <Show when={option.detail}>
                <span class="picker-detail">{option.detail}</span>
              </Show>
              <Show when={props.selected.includes(option.value)}>
                <span class="menu-tick">
                  <Check />
                </span>
              </Show>
            </div>
          )}
        </For>
      </div>
      <Show when={shown().length === 0}>
        <p class="picker-empty">{props.emptyText ?? 'Nothing matches.'}</p>
      </Show>
    </>
  )
}

import { Popover } from '@kobalte/core/popover'
import Check from 'lucide-solid/icons/check'
import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js'
import { fold } from '../../server/search/fold.ts'
import { isComposing } from './ime.ts'
import { keepVisibleToScreenReaders, type TriggerProps } from './menu.tsx'
import './menu.css'
import { createOptions, OptionRow } from './options.tsx'

/** The value of the option that creates what was typed. */
const CREATE = '\0create'

export interface PickerOption {
  value: string
  label: string
  /** Searched too, and shown after the label: an address, a count. */
  detail?: string | undefined
  /** Shown in gray: it can be picked, but is not active yet. */
  isMuted?: boolean
  icon?: JSX.Element
}

interface PickerProps {
  /** What is picked: "Assignee". Labels the search field and the list. */
  label: string
  trigger: (given: TriggerProps) => JSX.Element
  options: readonly PickerOption[]
  /** Instead of `options`: what the text means. */
  optionsFor?: (text: string) => PickerOption[]
  /** In the empty field, instead of the label. */
  placeholder?: string
  /** The checked values. */
  selected: readonly string[]
  /** With `isMultiple` the list stays open, and the page decides whether a pick checks or unchecks. */
  onPick: (value: string) => void
  isMultiple?: boolean
  /** Offers to create what was typed: "Create tag …". */
  onCreate?: (text: string) => void
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
  /** Shown when nothing matches and nothing can be created. */
  emptyText?: string
}

/** A searchable list below a button: assignee, tags. Arrow keys, Enter, Escape. */
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
      <Popover.Portal ref={keepVisibleToScreenReaders}>
        <Popover.Content class="menu picker" aria-label={props.label}>
          <PickerList {...props} onDone={() => setOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover>
  )
}

/** The search field and list of a `Picker`, for containers that are already open, such as a dialog. */
export function PickerList(props: Omit<PickerProps, 'trigger'> & { onDone: () => void }) {
  const [text, setText] = createSignal('')
  const shown = createMemo(() => props.optionsFor?.(text().trim()) ?? matching(props, text().trim()))
  const options = createOptions(() => shown().length)
  createEffect(on(text, options.reset, { defer: true }))

  function pick(option: PickerOption | undefined) {
    if (!option) return
    if (option.value === CREATE) props.onCreate?.(text().trim())
    else props.onPick(option.value)
    setText('')
    if (!props.isMultiple) props.onDone()
  }

  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event) || options.move(event) || event.key !== 'Enter') return
    event.preventDefault()
    pick(shown()[options.active()])
  }

  return (
    <>
      <input
        {...options.field}
        role="combobox"
        class="picker-search"
        aria-label={props.label}
        aria-expanded="true"
        placeholder={props.placeholder ?? `${props.label}…`}
        ref={(field) => queueMicrotask(() => field.focus({ preventScroll: true }))}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div
        class="picker-list"
        role="listbox"
        id={options.listId}
        aria-label={props.label}
        aria-multiselectable={props.isMultiple}
      >
        <For each={shown()}>
          {(option, index) => (
            <OptionRow
              options={options}
              place={index()}
              isChecked={props.selected.includes(option.value)}
              onPick={() => pick(option)}
              onPoint={() => options.setActive(index())}
            >
              {option.icon}
              <span class="menu-text" data-muted={option.isMuted || undefined}>
                {option.label}
              </span>
              <Show when={option.detail}>
                <span class="picker-detail">{option.detail}</span>
              </Show>
              <Show when={props.selected.includes(option.value)}>
                <span class="menu-tick">
                  <Check />
                </span>
              </Show>
            </OptionRow>
          )}
        </For>
      </div>
      <Show when={shown().length === 0}>
        <p class="picker-empty">{props.emptyText ?? 'No results'}</p>
      </Show>
    </>
  )
}

/** Options that begin with the text, then those that contain it, then "Create …". */
function matching(props: Pick<PickerProps, 'options' | 'onCreate'>, text: string): PickerOption[] {
  const query = fold(text)
  const found = props.options.flatMap((option) => {
    const at = fold(`${option.label} ${option.detail ?? ''}`).indexOf(query)
    return at < 0 ? [] : [{ option, rank: at === 0 ? 0 : 1 }]
  })
  found.sort((a, b) => a.rank - b.rank)
  const isKnown = props.options.some(({ label }) => label.toLocaleLowerCase() === text.toLocaleLowerCase())
  const created = text && props.onCreate && !isKnown ? [{ value: CREATE, label: `Create “${text}”` }] : []
  return [...found.map(({ option }) => option), ...created]
}

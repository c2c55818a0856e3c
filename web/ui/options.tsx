import { type Accessor, createEffect, createSignal, createUniqueId, type JSX } from 'solid-js'

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

export type Options = ReturnType<typeof createOptions>

/**
 * The active option of a list below a field that keeps the focus. With `mayBeNone` no option is active at first, nor
 * after moving up from the first one; otherwise moving past one end wraps to the other.
 */
export function createOptions(count: Accessor<number>, { mayBeNone = false } = {}) {
  const listId = createUniqueId()
  const [active, setActive] = createSignal(mayBeNone ? -1 : 0)
  const idOf = (place: number) => `${listId}-${place}`
  const activeId = () => (active() >= 0 && active() < count() ? idOf(active()) : undefined)
  createEffect(() => document.getElementById(activeId() ?? '')?.scrollIntoView({ block: 'nearest' }))

  function stepped(at: number, by: number): number {
    return mayBeNone ? Math.max(-1, Math.min(at + by, count() - 1)) : (at + by + count()) % count()
  }

  return {
    listId,
    idOf,
    active,
    setActive,
    /** Resets the active option after the list has changed. */
    reset: () => setActive(mayBeNone ? -1 : 0),
    /** Moves by an arrow key. Returns false for other keys and for an empty list. */
    move(event: KeyboardEvent): boolean {
      const by = STEPS[event.key]
      if (by === undefined || count() === 0) return false
      setActive((at) => stepped(at, by))
      event.preventDefault()
      return true
    },
    /** Attributes of the field. */
    field: {
      autocomplete: 'off',
      spellcheck: false,
      'aria-autocomplete': 'list',
      'aria-controls': listId,
      get 'aria-activedescendant'() {
        return activeId()
      },
    } as const,
  }
}

interface OptionRowProps {
  options: Options
  place: number
  /** Whether the option is checked. Without it, the active option counts as selected. */
  isChecked?: boolean
  onPick: () => void
  onPoint?: () => void
  children: JSX.Element
}

/** One option. Clicking it leaves the focus in the field. */
export function OptionRow(props: OptionRowProps) {
  const isActive = () => props.options.active() === props.place
  return (
    <div
      class="menu-item"
      role="option"
      tabIndex={-1}
      id={props.options.idOf(props.place)}
      aria-selected={props.isChecked ?? isActive()}
      data-highlighted={isActive() ? '' : undefined}
      onPointerMove={() => props.onPoint?.()}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => props.onPick()}
      onKeyDown={(event) => event.key === 'Enter' && props.onPick()}
    >
      {props.children}
    </div>
  )
}

import { type Accessor, createEffect, createSignal, createUniqueId, type JSX } from 'solid-js'

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

type Options = ReturnType<typeof createOptions>

/**
 * Options below a field that keeps the focus: which of them the arrow keys are at. `mayBeNone`: at first at none, and
 * from the first one up at none again; otherwise from one end to the other.
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
    /** Begins anew: what is offered has changed. */
    reset: () => setActive(mayBeNone ? -1 : 0),
    /** Moves by an arrow key. False for other keys, and where there is nothing to move among. */
    moved(event: KeyboardEvent): boolean {
      const by = STEPS[event.key]
      if (by === undefined || count() === 0) return false
      setActive((at) => stepped(at, by))
      event.preventDefault()
      return true
    },
    /** For the field. */
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
  /** Has a tick. Without it, the one that the arrow keys are at counts as selected. */
  isTicked?: boolean
  onPick: () => void
  onPoint?: () => void
  children: JSX.Element
}

/** One of the options. A press on it leaves the focus in the field. */
export function OptionRow(props: OptionRowProps) {
  const isActive = () => props.options.active() === props.place
  return (
    <div
      class="menu-item"
      role="option"
      tabIndex={-1}
      id={props.options.idOf(props.place)}
      aria-selected={props.isTicked ?? isActive()}
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

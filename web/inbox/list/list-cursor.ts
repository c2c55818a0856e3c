import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup, untrack } from 'solid-js'

/** Height of every row; ticket-row.css uses the same value. */
export const ROW_HEIGHT_PX = 68

/** The row that keys act on, in a list of ids. */
export function createCursor(ids: Accessor<readonly string[]>, openId: Accessor<string | undefined>) {
  const [cursor, setCursor] = createSignal<string>()
  const [revealed, setRevealed] = createSignal<{ id: string }>()
  const indexes = createMemo(() => new Map(ids().map((id, index) => [id, index])))
  const visible = createVisibleRange()
  let lastIndexes = new Map<string, number>()
  createEffect(() => {
    lastIndexes = indexes()
  })
  /** A ticket that was opened while its list was loading. The cursor goes to it as soon as the list has it. */
  let opened: string | undefined
  createEffect(
    on([openId, indexes], ([id, known], before) => {
      if (id !== before?.[0]) opened = id
      if (opened === undefined || !known.has(opened)) return
      setCursor(opened)
      opened = undefined
    }),
  )

  /** -1 for a row that is not in the list. */
  function indexOf(id: string | undefined): number {
    return id === undefined ? -1 : (indexes().get(id) ?? -1)
  }

  /** Moves to a row, focuses it and scrolls to it. */
  function goTo(id: string): void {
    setCursor(id)
    setRevealed({ id })
  }

  return {
    cursor,
    setCursor,
    indexOf,
    goTo,
    /** Set each time a row should be focused and scrolled to. */
    revealed,
    observeScroller: visible.observe,
    /** The cursor was scrolled out of view. */
    isCursorHidden: (): boolean => indexOf(cursor()) >= 0 && !visible.has(indexOf(cursor())),
    firstVisible: (): string | undefined => ids()[Math.min(visible.first(), ids().length - 1)],
    /** Scrolls back to the cursor. */
    revealCursor(): void {
      const id = cursor()
      if (id !== undefined) goTo(id)
    },
    /** The row `step` rows further. Undefined past the end. */
    neighbor: (step: number, from = cursor()): string | undefined => ids()[indexOf(from) + step],
    /** After the list has changed: the same row, or the row now at its position. */
    keepValid(): void {
      const current = untrack(cursor)
      if (indexOf(current) >= 0) return
      const open = untrack(openId)
      const index = current === undefined ? 0 : (lastIndexes.get(current) ?? 0)
      setCursor(indexOf(open) >= 0 ? open : ids()[Math.min(index, ids().length - 1)])
    },
  }
}

/** Which rows of the list are in view. */
function createVisibleRange() {
  let scroller: HTMLElement | undefined
  return {
    /** Takes the element that scrolls the rows, until the calling component is disposed. */
    observe(element: HTMLElement): void {
      scroller = element
      onCleanup(() => {
        if (scroller === element) scroller = undefined
      })
    },
    /** Whether at least half of the row at `index` is in view. */
    has(index: number): boolean {
      if (!scroller) return true
      const middle = (index + 0.5) * ROW_HEIGHT_PX - scroller.scrollTop
      return middle >= 0 && middle <= scroller.clientHeight
    },
    /** The index of the first row that is entirely in view. */
    first: (): number => Math.ceil((scroller?.scrollTop ?? 0) / ROW_HEIGHT_PX),
  }
}

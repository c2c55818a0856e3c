import { type Accessor, createMemo, createSignal, onCleanup, onMount } from 'solid-js'

/** Height of every row; ticket-row.css uses the same value. */
export const ROW_HEIGHT_PX = 68

/** Which rows of the list are in view. */
export function createVisibleRange() {
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

/** Rows drawn above and below the visible ones: about one turn of a mouse wheel. */
const OVERSCAN_ROWS = 8

interface Range {
  first: number
  /** Less than `first` if there are no rows. */
  last: number
}

const NONE: Range = { first: 0, last: -1 }

/** Which rows of a list are drawn: all have the same height, so their places need no measuring. */
export function createDrawnRows(count: Accessor<number>) {
  let scroller: HTMLElement | undefined
  const [view, setView] = createSignal<Range>(NONE, { equals: isSame })

  function look(): void {
    if (!scroller) return
    const { scrollTop, clientHeight } = scroller
    setView({
      first: Math.floor(scrollTop / ROW_HEIGHT_PX),
      last: Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT_PX) - 1,
    })
  }

  const sizes = new ResizeObserver(look)
  onMount(look)
  onCleanup(() => sizes.disconnect())
  return {
    /** Takes the element that scrolls the rows. */
    observe(element: HTMLElement): void {
      scroller = element
      sizes.observe(element)
      element.addEventListener('scroll', look, { passive: true })
    },
    range: createMemo<Range>(
      () => ({
        first: Math.max(0, view().first - OVERSCAN_ROWS),
        last: Math.min(count() - 1, view().last + OVERSCAN_ROWS),
      }),
      NONE,
      { equals: isSame },
    ),
    /** Scrolls just as far as it takes to show a row. */
    scrollTo(index: number): void {
      if (!scroller) return
      const top = index * ROW_HEIGHT_PX
      const { scrollTop, clientHeight } = scroller
      if (top < scrollTop) scroller.scrollTo({ top })
      else if (top + ROW_HEIGHT_PX > scrollTop + clientHeight) {
        scroller.scrollTo({ top: top + ROW_HEIGHT_PX - clientHeight })
      }
    },
  }
}

function isSame(one: Range, other: Range): boolean {
  return one.first === other.first && one.last === other.last
}

import { onCleanup } from 'solid-js'

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

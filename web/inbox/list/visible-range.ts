import { onCleanup } from 'solid-js'

/** Of each row: row.css says the same. */
export const ROW_HEIGHT_PX = 68

/** Which rows of the list can be seen: a wheel leads away from the one the person is at. */
export function createSight() {
  let scroller: HTMLElement | undefined
  return {
    /** Takes what the rows are scrolled in, while the component lives. */
    watch(element: HTMLElement): void {
      scroller = element
      onCleanup(() => {
        if (scroller === element) scroller = undefined
      })
    },
    /** Whether the greater part of the row at this place is in sight. */
    has(place: number): boolean {
      if (!scroller) return true
      const middle = (place + 0.5) * ROW_HEIGHT_PX - scroller.scrollTop
      return middle >= 0 && middle <= scroller.clientHeight
    },
    /** The place of the first row that is in sight as a whole. */
    first: (): number => Math.ceil((scroller?.scrollTop ?? 0) / ROW_HEIGHT_PX),
  }
}

import { type Accessor, createEffect, createMemo, createSignal, on, untrack } from 'solid-js'
import { createSight } from './visible-range.ts'

/** The row the person is at, in a list of ids. */
export function createCursor(ids: Accessor<readonly string[]>, openId: Accessor<string | undefined>) {
  const [cursor, setCursor] = createSignal<string>()
  const [revealed, setRevealed] = createSignal<{ id: string }>()
  const places = createMemo(() => new Map(ids().map((id, place) => [id, place])))
  const sight = createSight()
  let lastPlaces = new Map<string, number>()
  createEffect(() => {
    lastPlaces = places()
  })
  createEffect(on(openId, (id) => id !== undefined && places().has(id) && setCursor(id)))

  function placeOf(id: string | undefined): number {
    return id === undefined ? -1 : (places().get(id) ?? -1)
  }

  /** Goes to a row: it gets the focus, and is scrolled to. */
  function goTo(id: string): void {
    setCursor(id)
    setRevealed({ id })
  }

  return {
    cursor,
    setCursor,
    placeOf,
    goTo,
    revealed,
    watch: sight.watch,
    /** The list was scrolled until the row the person is at could be seen no more. */
    isAway: (): boolean => placeOf(cursor()) >= 0 && !sight.has(placeOf(cursor())),
    firstInSight: (): string | undefined => ids()[Math.min(sight.first(), ids().length - 1)],
    /** Scrolls back to the row the person is at. */
    comeBack(): void {
      const at = cursor()
      if (at !== undefined) goTo(at)
    },
    /** The row `step` further; undefined at the end. */
    neighbour: (step: number, from = cursor()): string | undefined => ids()[placeOf(from) + step],
    /** The list has changed: the same row, or the one that has come to its place. */
    keep(): void {
      const at = untrack(cursor)
      if (placeOf(at) >= 0) return
      const open = untrack(openId)
      const before = at === undefined ? 0 : (lastPlaces.get(at) ?? 0)
      setCursor(placeOf(open) >= 0 ? open : ids()[Math.min(before, ids().length - 1)])
    },
  }
}

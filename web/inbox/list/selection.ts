import { type Accessor, createMemo } from 'solid-js'
import { createStore, reconcile } from 'solid-js/store'

export type Selection = ReturnType<typeof createSelection>

/** The selected rows. Rows that are no longer shown are no longer selected. */
export function createSelection(ids: Accessor<readonly string[]>) {
  const [selected, setSelected] = createStore<Record<string, boolean>>({})
  const list = createMemo(() => ids().filter((id) => selected[id]))
  let anchor: string | undefined

  function set(id: string, isSelected: boolean): void {
    setSelected(id, isSelected)
    anchor = id
  }

  function select(some: readonly string[]): void {
    setSelected(Object.fromEntries(some.map((id) => [id, true])))
    anchor ??= some[0]
  }

  return {
    list,
    has: (id: string) => selected[id] ?? false,
    toggle: (id: string) => set(id, !selected[id]),
    select,
    /** Selects from the anchor to `id`. */
    extendTo(id: string): void {
      const from = Math.max(ids().indexOf(anchor ?? id), 0)
      const to = ids().indexOf(id)
      select(ids().slice(Math.min(from, to), Math.max(from, to) + 1))
    },
    /** One step with the keys: away from the anchor the selection grows, back toward it it shrinks. */
    step(from: string, to: string): void {
      anchor ??= from
      const start = ids().indexOf(anchor)
      const isBack = Math.abs(ids().indexOf(to) - start) < Math.abs(ids().indexOf(from) - start)
      if (isBack && selected[from] && selected[to]) setSelected(from, false)
      else select([from, to])
    },
    selectAll: () => select(ids()),
    clear(): void {
      setSelected(reconcile({}))
      anchor = undefined
    },
  }
}

import { type Accessor, createMemo } from 'solid-js'
import { createStore, reconcile } from 'solid-js/store'

export type Selection = ReturnType<typeof createSelection>

/** The rows that the next change is for. It follows the list: what is shown no more is selected no more. */
export function createSelection(ids: Accessor<readonly string[]>) {
  const [chosen, setChosen] = createStore<Record<string, boolean>>({})
  const list = createMemo(() => ids().filter((id) => chosen[id]))
  let anchor: string | undefined

  function set(id: string, isChosen: boolean): void {
    setChosen(id, isChosen)
    anchor = id
  }

  function setEach(some: readonly string[]): void {
    setChosen(Object.fromEntries(some.map((id) => [id, true])))
    anchor ??= some[0]
  }

  return {
    list,
    has: (id: string) => chosen[id] ?? false,
    toggle: (id: string) => set(id, !chosen[id]),
    add: (...some: string[]) => setEach(some),
    /** From where selecting began to here. */
    extendTo(id: string): void {
      const from = Math.max(ids().indexOf(anchor ?? id), 0)
      const to = ids().indexOf(id)
      const between = ids().slice(Math.min(from, to), Math.max(from, to) + 1)
      setEach(between)
    },
    all: () => setEach(ids()),
    clear: () => setChosen(reconcile({})),
  }
}

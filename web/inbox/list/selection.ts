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
    /** From where selecting began to here. */
    extendTo(id: string): void {
      const from = Math.max(ids().indexOf(anchor ?? id), 0)
      const to = ids().indexOf(id)
      const between = ids().slice(Math.min(from, to), Math.max(from, to) + 1)
      setEach(between)
    },
    /** One row on with the keys: away from where selecting began it grows, back there it shrinks. */
    step(from: string, to: string): void {
      anchor ??= from
      const begin = ids().indexOf(anchor)
      const isBack = Math.abs(ids().indexOf(to) - begin) < Math.abs(ids().indexOf(from) - begin)
      if (isBack && chosen[from] && chosen[to]) setChosen(from, false)
      else setEach([from, to])
    },
    all: () => setEach(ids()),
    choose: setEach,
    clear(): void {
      setChosen(reconcile({}))
      anchor = undefined
    },
  }
}

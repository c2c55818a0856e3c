import { useLocation, useNavigate } from '@solidjs/router'
import { createEffect, createSignal, on, onCleanup } from 'solid-js'
import { createStore, type SetStoreFunction, unwrap } from 'solid-js/store'
import { askBeforeLeaving } from '../browser/unsaved-warning.ts'
import { toast } from '../ui/toaster.tsx'

/** By the address of the page and the form in it: what somebody goes back to. */
const left = new Map<string, object>()

/**
 * What stands in the fields of a form: what the server knows, until something else is typed; what was typed stays when
 * the server learns something new. When the page is left without saving it, a notice leads back to it, and the tab asks
 * before it closes. The last of the three answers sends what stands there now, and knows then that this is saved. `what`
 * begins a sentence: "The signature".
 */
export function createTypedValues<Values extends Record<string, string | readonly string[]>>(
  what: string,
  known: () => Values,
): [Values, SetStoreFunction<Values>, <Saved>(send: (values: Values) => Promise<Saved>) => Promise<Saved>] {
  const navigate = useNavigate()
  const here = useLocation().pathname
  const key = `${here} ${what}`
  const [start, setStart] = createSignal(known())
  const [values, setValues] = createStore<Values>({ ...start(), ...left.get(key) })
  left.delete(key)
  createEffect(
    on(
      known,
      (now) => {
        const untouched = Object.keys(now).filter((name) => isSame(values[name], start()[name]))
        setValues((typed) => ({ ...typed, ...only(now, untouched) }))
        setStart(() => now)
      },
      { defer: true },
    ),
  )
  const touched = () => Object.keys(values).filter((name) => !isSame(values[name], start()[name]))
  askBeforeLeaving(() => touched().length > 0)
  onCleanup(() => {
    const typed = only(values, touched())
    if (Object.keys(typed).length === 0) return
    toast(`${what} was not saved.`, {
      text: 'Go back to it',
      run: () => {
        left.set(key, typed)
        navigate(here)
      },
    })
  })
  return [
    values,
    setValues,
    async (send) => {
      // What is typed while it is on its way is not saved by it.
      const sent = structuredClone(unwrap(values))
      const saved = await send(sent)
      setStart(() => sent)
      return saved
    },
  ]
}

function only(values: Record<string, unknown>, names: string[]): object {
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

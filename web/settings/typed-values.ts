import { useLocation, useNavigate } from '@solidjs/router'
import { onCleanup } from 'solid-js'
import { createStore, type SetStoreFunction } from 'solid-js/store'
import { toast } from '../ui/toaster.tsx'

/** By the address of the page and the form in it: what somebody goes back to. */
const left = new Map<string, object>()

/**
 * What is typed into a form of a page. When the page is left without saving it, a notice leads back to it; the last of
 * the three answers says that it has been saved. `what` begins a sentence: "The signature".
 */
export function createTypedValues<Values extends Record<string, string>>(
  what: string,
  start: Values,
): [Values, SetStoreFunction<Values>, () => void] {
  const navigate = useNavigate()
  const here = useLocation().pathname
  const key = `${here} ${what}`
  const [values, setValues] = createStore<Values>({ ...start, ...left.get(key) })
  left.delete(key)
  let saved = { ...start }
  onCleanup(() => {
    const typed = { ...values }
    if (Object.keys(typed).every((name) => typed[name] === saved[name])) return
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
    () => {
      saved = { ...values }
    },
  ]
}

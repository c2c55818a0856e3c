import { useLocation, useNavigate } from '@solidjs/router'
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js'
import { createStore, type SetStoreFunction, unwrap } from 'solid-js/store'
import { askBeforeLeaving } from '../browser/unsaved-warning.ts'
import { toast } from '../ui/toaster.tsx'

/** Fields with values that JSON can hold. */
export type FormValues = Record<string, unknown>

/** Unsaved values, by page and form, for the "Go back" of the toast. */
const abandoned = new Map<string, object>()

export interface FormState<Values> {
  values: Values
  setValues: SetStoreFunction<Values>
  isChanged: Accessor<boolean>
  /** Sends the current values and marks them as saved. */
  save: <Saved>(send: (values: Values) => Promise<Saved>) => Promise<Saved>
}

/**
 * The fields of a form. They follow the server, except those the agent has changed. Leaving the page with unsaved
 * changes shows a toast that leads back to them, and closing the tab asks first. `what` completes a sentence: "the
 * endpoint".
 */
export function createFormState<Values extends FormValues>(
  what: string,
  fromServer: () => Values,
): FormState<Values> {
  const navigate = useNavigate()
  const here = useLocation().pathname
  const key = `${here} ${what}`
  const [saved, setSaved] = createSignal(fromServer())
  const [values, setValues] = createStore<Values>({ ...saved(), ...abandoned.get(key) })
  abandoned.delete(key)
  createEffect(
    on(
      fromServer,
      (now) => {
        const unchanged = Object.keys(now).filter((name) => isSame(values[name], saved()[name]))
        setValues((typed) => ({ ...typed, ...only(now, unchanged) }))
        setSaved(() => now)
      },
      { defer: true },
    ),
  )
  const changed = () => Object.keys(values).filter((name) => !isSame(values[name], saved()[name]))
  const isChanged = () => changed().length > 0
  askBeforeLeaving(isChanged)
  onCleanup(() => {
    const typed = only(values, changed())
    if (Object.keys(typed).length === 0) return
    toast(`Changes to ${what} weren't saved.`, {
      text: 'Go back',
      run: () => {
        abandoned.set(key, typed)
        navigate(here)
      },
    })
  })
  return {
    values,
    setValues,
    isChanged,
    save: async (send) => {
      // A copy: what is typed during the request is not saved by it.
      const sent = structuredClone(unwrap(values))
      const answer = await send(sent)
      setSaved(() => sent)
      return answer
    },
  }
}

function only(values: Record<string, unknown>, names: string[]): object {
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

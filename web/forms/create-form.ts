import { useLocation, useNavigate } from '@solidjs/router'
import { useMutation } from '@tanstack/solid-query'
import { createEffect, createSignal, on, onCleanup } from 'solid-js'
import { createStore, unwrap } from 'solid-js/store'
import { faultAt } from '../api/api-problem.ts'
import { askBeforeLeaving } from '../browser/unsaved-warning.ts'
import { toast } from '../ui/toaster.tsx'

/** Fields with values that JSON can hold. */
type FormValues = Record<string, unknown>
type NamesOf<Values, Kind> = {
  [Name in keyof Values]: Values[Name] extends Kind ? Name : never
}[keyof Values] &
  string

interface FormOptions<Values extends FormValues, Saved> {
  /** As the server has them, or those of something new. Fields the agent hasn't changed follow the server. */
  values: () => Values
  save: (values: Values) => Promise<Saved>
  /** Returns what the toast says. */
  onSaved?: (saved: Saved) => unknown
  /** Completes a sentence: "the endpoint". With it, leaving the page shows a toast that leads back to what was typed. */
  what?: string
  /** Where the fields are in the request body: "appearance". */
  at?: string
  /** Whether the browser asks before it closes the tab. By default, once something has changed. */
  isUnsaved?: (values: Values) => boolean
  /** Why another request with these fields failed, such as a test of them. */
  otherError?: () => unknown
}

/** What `CardForm` and `FormDialog` need of a form. */
export interface AnyForm {
  submit: { mutate: () => void; readonly isPending: boolean }
  /** Why the server refused it. */
  error: () => unknown
  isChanged: () => boolean
  /** Fields that show their own errors, as JSON pointers without the first slash. */
  shown: readonly string[]
}

/** What the fields of a form need of it. */
export type FormFields<Values extends FormValues> = Pick<
  ReturnType<typeof createForm<Values, unknown>>,
  'values' | 'set' | 'errorAt' | 'text' | 'choice' | 'check'
>

/** Unsaved values, by page and form, for the "Go back" of the toast. */
const abandoned = new Map<string, object>()

/** The fields of a form, and the request that saves them. */
export function createForm<Values extends FormValues, Saved>(options: FormOptions<Values, Saved>) {
  const [saved, setSaved] = createSignal(options.values())
  const [values, setValues] = createStore<Values>({ ...saved() })
  const changed = () => Object.keys(values).filter((name) => !isSame(values[name], saved()[name]))
  const isChanged = () => changed().length > 0
  const shown: string[] = []

  createEffect(
    on(
      options.values,
      (now) => {
        const unchanged = Object.keys(now).filter((name) => isSame(values[name], saved()[name]))
        put(only(now, unchanged))
        setSaved(() => now)
      },
      { defer: true },
    ),
  )
  askBeforeLeaving(() => options.isUnsaved?.(values) ?? isChanged())
  if (options.what) offerReturn(options.what, () => only(values, changed()), put)

  const submit = useMutation(() => ({
    mutationFn: async () => {
      // A copy: what is typed during the request is not saved by it.
      const sent = structuredClone(unwrap(values))
      const answer = await options.save(sent)
      setSaved(() => sent)
      return answer
    },
    onSuccess: (answer: Saved) => {
      const said = options.onSaved?.(answer)
      if (typeof said === 'string') toast(said)
    },
  }))

  const error = () => submit.error ?? options.otherError?.()

  function put(change: object): void {
    setValues((typed) => ({ ...typed, ...change }))
  }

  /** The sentence about a field or a part of it. The field shows it, so the form doesn't. */
  function errorAt(field: string): () => string | undefined {
    const pointer = options.at ? `${options.at}/${field}` : field
    shown.push(pointer)
    onCleanup(() => shown.splice(shown.indexOf(pointer), 1))
    return () => faultAt(error(), pointer)
  }

  return {
    values,
    set: (change: Partial<Values>) => put(change),
    isChanged,
    submit,
    error,
    shown,
    errorAt,
    /** Takes back what was typed. */
    reset() {
      setSaved(() => options.values())
      put(options.values())
    },
    /** The attributes of a `TextField`, a `TextArea` or the like. `field` is its name in the request body. */
    text<Name extends NamesOf<Values, string>>(name: Name, field: string = name) {
      const fault = errorAt(field)
      return {
        get value() {
          return values[name]
        },
        onInput: (value: Values[Name]) => put({ [name]: value }),
        get error() {
          return fault()
        },
      }
    },
    /** The attributes of a `Select` or a `SegmentedControl`. */
    choice<Name extends NamesOf<Values, string>>(name: Name, field: string = name) {
      const fault = errorAt(field)
      return {
        get value() {
          return values[name]
        },
        onChange: (value: Values[Name]) => put({ [name]: value }),
        get error() {
          return fault()
        },
      }
    },
    /** The attributes of a `Checkbox`. */
    check<Name extends NamesOf<Values, boolean>>(name: Name) {
      return {
        get isChecked() {
          return values[name]
        },
        onChange: (isChecked: boolean) => put({ [name]: isChecked }),
      }
    },
  }
}

/** Says that changes were left behind, with the way back to them. */
function offerReturn(what: string, unsaved: () => object, restore: (values: object) => void): void {
  const navigate = useNavigate()
  const here = useLocation().pathname
  const key = `${here} ${what}`
  restore(abandoned.get(key) ?? {})
  abandoned.delete(key)
  onCleanup(() => {
    const typed = unsaved()
    if (Object.keys(typed).length === 0) return
    toast(`Changes to ${what} weren't saved.`, {
      text: 'Go back',
      run: () => {
        abandoned.set(key, typed)
        navigate(here)
      },
    })
  })
}

function only(values: Record<string, unknown>, names: string[]): object {
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

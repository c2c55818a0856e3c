import { createEffect, type JSX, on, Show } from 'solid-js'
import { ApiProblem, errorMessage } from '../api/api-problem.ts'
import { Button } from '../ui/button.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import './card.css'
import './form.css'

interface FormProps {
  /** The mutation that the button runs. It reads the fields. */
  save: { mutate: () => void; isPending: boolean; error: unknown }
  /** Fields that show their own errors from the server. */
  fields: readonly string[]
  /** The text of the button, a verb: "Save name". */
  action: string
  /** There is nothing to save. */
  isUnchanged?: boolean
  children: JSX.Element
}

/** A form on a page. */
export function CardForm(props: FormProps & { beside?: JSX.Element }) {
  let form: HTMLFormElement | undefined
  focusFault(
    () => form,
    () => props.save.error,
  )
  return (
    <form class="card" ref={form} onSubmit={(event) => submit(event, props.save)}>
      {props.children}
      <FormProblem error={props.save.error} fields={props.fields} />
      <div class="card-foot">
        <SubmitButton {...props} />
        {props.beside}
      </div>
    </form>
  )
}

/** A form in a dialog. */
export function DialogForm(props: FormProps & { onCancel: () => void }) {
  let form: HTMLFormElement | undefined
  focusFault(
    () => form,
    () => props.save.error,
  )
  return (
    <form class="stack" ref={form} onSubmit={(event) => submit(event, props.save)}>
      {props.children}
      <FormProblem error={props.save.error} fields={props.fields} />
      <div class="dialog-foot">
        <Button onClick={() => props.onCancel()}>Cancel</Button>
        <SubmitButton {...props} />
      </div>
    </form>
  )
}

function SubmitButton(props: FormProps) {
  return (
    <Button look="primary" type="submit" isBusy={props.save.isPending} isUnavailable={props.isUnchanged}>
      {props.action}
    </Button>
  )
}

function submit(event: Event, save: FormProps['save']): void {
  event.preventDefault()
  save.mutate()
}

/** Focuses the first field that the server refused: in a long form, it may be out of sight of the button. */
function focusFault(form: () => HTMLFormElement | undefined, error: () => unknown): void {
  createEffect(
    on(error, (thrown) => {
      if (!(thrown instanceof ApiProblem) || thrown.errors.length === 0) return
      // A closed group of fields opens first.
      requestAnimationFrame(() => form()?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
    }),
  )
}

/** Why the server refused the form, unless its fields already show the errors. */
export function FormProblem(props: { error: unknown; fields?: readonly string[] }) {
  const sentence = () =>
    props.error && !isShownAtFields(props.error, props.fields ?? []) ? errorMessage(props.error) : ''
  return <Show when={sentence()}>{(text) => <ErrorText>{text()}</ErrorText>}</Show>
}

function isShownAtFields(error: unknown, fields: readonly string[]): boolean {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return false
  return error.errors.every(({ pointer }) => fields.some((field) => pointer === `/${field}`))
}

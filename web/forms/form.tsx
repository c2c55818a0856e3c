import { createEffect, type JSX, on, onMount, Show } from 'solid-js'
import { ApiProblem, areFaultsIn, errorMessage } from '../api/api-problem.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import type { AnyForm } from './create-form.ts'
import './form.css'

interface FormProps {
  form: AnyForm
  /** The text of the button, a verb: "Save name". */
  action: string
  /** There is nothing to save. On a page, by default while nothing has changed. */
  isUnchanged?: boolean
  children: JSX.Element
}

/** A form on a page. */
export function CardForm(props: FormProps & { beside?: JSX.Element }) {
  return (
    <FormBody form={props.form} class="card">
      {props.children}
      <FormProblem error={props.form.error()} fields={props.form.shown} />
      <div class="card-foot">
        <SubmitButton {...props} isUnchanged={props.isUnchanged ?? !props.form.isChanged()} />
        {props.beside}
      </div>
    </FormBody>
  )
}

interface FormDialogProps extends FormProps {
  onClose: () => void
  title: string
  description?: JSX.Element
  size?: 'small' | 'wide'
}

/** A form in a dialog. Rendered while it is open. */
export function FormDialog(props: FormDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={() => props.onClose()}
      title={props.title}
      description={props.description}
      size={props.size}
    >
      <DialogForm {...props} onCancel={() => props.onClose()} />
    </Dialog>
  )
}

/** A form in a dialog that is open already. */
export function DialogForm(props: FormProps & { onCancel: () => void }) {
  return (
    <FormBody form={props.form} class="stack">
      {props.children}
      <FormProblem error={props.form.error()} fields={props.form.shown} />
      <div class="dialog-foot">
        <Button onClick={() => props.onCancel()}>Cancel</Button>
        <SubmitButton {...props} />
      </div>
    </FormBody>
  )
}

/** The element: it submits once at a time, and focuses the first field that the server refused. */
export function FormBody(props: {
  form: Pick<AnyForm, 'submit' | 'error'>
  class: string
  /** The name of the field that has the focus at first. */
  focusOn?: string | undefined
  children: JSX.Element
}) {
  let form: HTMLFormElement | undefined
  onMount(() => {
    const field = form?.elements.namedItem(props.focusOn ?? '')
    if (field instanceof HTMLElement) field.focus()
  })
  createEffect(
    on(
      () => props.form.error(),
      (thrown) => {
        if (!(thrown instanceof ApiProblem) || thrown.errors.length === 0) return
        // In a long form, it may be out of sight of the button. A closed group of fields opens first.
        requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
      },
    ),
  )
  return (
    <form
      class={props.class}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!props.form.submit.isPending) props.form.submit.mutate()
      }}
    >
      {props.children}
    </form>
  )
}

function SubmitButton(props: FormProps) {
  return (
    <Button
      look="primary"
      type="submit"
      isBusy={props.form.submit.isPending}
      isUnavailable={props.isUnchanged}
    >
      {props.action}
    </Button>
  )
}

/** Why the server refused the form, unless its fields already show the errors. */
export function FormProblem(props: { error: unknown; fields?: readonly string[] }) {
  const sentence = () =>
    props.error && !areFaultsIn(props.error, props.fields ?? []) ? errorMessage(props.error) : ''
  return <Show when={sentence()}>{(text) => <ErrorText>{text()}</ErrorText>}</Show>
}

import type { JSX } from 'solid-js'
import { Button } from './button.tsx'
import { FormProblem } from './form-problem.tsx'

interface FormProps {
  /** What the button does, and how that goes: a mutation that reads the fields itself. */
  save: { mutate: () => void; isPending: boolean; error: unknown }
  /** Those that say themselves what the server found wrong with them. */
  fields: readonly string[]
  /** The text of the button, a verb: "Save name". */
  action: string
  /** There is nothing to send yet. */
  isDisabled?: boolean
  children: JSX.Element
}

/** A form that stands on a page. */
export function CardForm(props: FormProps & { beside?: JSX.Element }) {
  return (
    <form class="card" onSubmit={(event) => submit(event, props.save)}>
      {props.children}
      <FormProblem error={props.save.error} fields={props.fields} />
      <div class="card-foot">
        <SubmitButton {...props} />
        {props.beside}
      </div>
    </form>
  )
}

/** A form that a dialog is opened for. */
export function DialogForm(props: FormProps & { onCancel: () => void }) {
  return (
    <form class="stack" onSubmit={(event) => submit(event, props.save)}>
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
    <Button look="primary" type="submit" isBusy={props.save.isPending} disabled={props.isDisabled}>
      {props.action}
    </Button>
  )
}

function submit(event: Event, save: FormProps['save']): void {
  event.preventDefault()
  save.mutate()
}

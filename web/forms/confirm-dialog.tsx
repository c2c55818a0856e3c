import { createSignal, Show } from 'solid-js'
import { errorMessage } from '../api/api-problem.ts'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { TextField } from '../ui/text-field.tsx'

interface Question {
  title: string
  /** What will happen, and that it can't be undone. */
  text: string
  /** Must be typed first. Used before something is deleted permanently. */
  word?: string
  /** The text of the button, a verb: "Delete ticket". */
  action: string
  /** Closes the dialog on success. On failure the error is shown and the dialog stays open. */
  onConfirm: () => Promise<unknown>
}

interface ConfirmDialogProps extends Question {
  isOpen: boolean
  onClose: () => void
}

/** Asks before an action that can't be undone. Everything else happens at once, with an Undo. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const [typed, setTyped] = createSignal('')
  const [isBusy, setBusy] = createSignal(false)
  const [problem, setProblem] = createSignal<unknown>()
  const isReady = () => !props.word || typed().trim() === props.word

  function close() {
    setTyped('')
    setProblem(undefined)
    props.onClose()
  }

  async function confirm(event: Event) {
    event.preventDefault()
    if (!isReady() || isBusy()) return
    setBusy(true)
    try {
      await props.onConfirm()
      close()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog isOpen={props.isOpen} onClose={close} title={props.title} description={props.text} size="small">
      <form class="stack" onSubmit={confirm}>
        <Show when={props.word}>
          <TextField
            label={`Type “${props.word}” to confirm`}
            value={typed()}
            onInput={setTyped}
            autocomplete="off"
          />
        </Show>
        <Show when={problem()}>{(error) => <ErrorText>{errorMessage(error())}</ErrorText>}</Show>
        <div class="dialog-foot">
          <Button onClick={close}>Cancel</Button>
          <Button look="danger" type="submit" isBusy={isBusy()} disabled={!isReady()}>
            {props.action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface ConfirmButtonProps extends Question {
  /** The text of the button that asks: "Remove bot…". */
  label: string
  /** Its name for screen readers, in a list: "Remove billing". */
  name?: string
  /** As in the rows of a list. */
  isQuiet?: boolean
  disabled?: ButtonProps['disabled']
}

/** A button that asks before it acts. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const [isAsking, setAsking] = createSignal(false)
  return (
    <>
      <Button
        {...(props.isQuiet && { size: 'small', look: 'quiet' })}
        aria-label={props.name}
        disabled={props.disabled}
        onClick={() => setAsking(true)}
      >
        {props.label}
      </Button>
      <ConfirmDialog {...props} isOpen={isAsking()} onClose={() => setAsking(false)} />
    </>
  )
}

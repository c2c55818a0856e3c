import { createSignal, Show } from 'solid-js'
import { sentenceOf } from '../api/api-problem.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorText } from './error-text.tsx'
import { TextField } from './text-field.tsx'

interface ConfirmDialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  /** What happens, and that it cannot be undone. */
  text: string
  /** Has to be typed first: for what is deleted for ever. */
  word?: string
  /** The text of the button, a verb: "Delete ticket". */
  action: string
  /** The dialog closes when it is done; a refusal is shown and it stays open. */
  onConfirm: () => Promise<unknown>
}

/** Asks before something that no Undo brings back. Everything else is done at once, with an Undo. */
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
            label={`Type “${props.word}” to go on`}
            value={typed()}
            onInput={setTyped}
            autocomplete="off"
          />
        </Show>
        <Show when={problem()}>{(error) => <ErrorText>{sentenceOf(error())}</ErrorText>}</Show>
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

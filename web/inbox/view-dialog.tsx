import { createEffect, createSignal, on, Show } from 'solid-js'
import { faultOf, sentenceOf } from '../problem.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { TextField } from '../ui/text-field.tsx'
import type { ViewFields } from './saved-views.ts'

interface ViewDialogProps extends ViewFields {
  isOpen: boolean
  onClose: () => void
  title: string
  onSave: (given: ViewFields) => Promise<unknown>
}

/** Names a saved view, and says what it finds and who sees it. */
export function ViewDialog(props: ViewDialogProps) {
  const [name, setName] = createSignal('')
  const [query, setQuery] = createSignal('')
  const [isShared, setShared] = createSignal(false)
  const [problem, setProblem] = createSignal<unknown>()
  const [isBusy, setBusy] = createSignal(false)
  const fault = (field: string) => faultOf(problem(), field)
  createEffect(
    on(
      () => props.isOpen,
      (isOpen) => {
        if (!isOpen) return
        setName(props.name)
        setQuery(props.query)
        setShared(props.isShared)
        setProblem(undefined)
      },
    ),
  )

  async function save(event: Event): Promise<void> {
    event.preventDefault()
    setBusy(true)
    try {
      await props.onSave({ name: name().trim(), query: query().trim(), isShared: isShared() })
      props.onClose()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.title} size="small">
      <form class="stack" onSubmit={save}>
        <TextField
          label="Name"
          value={name()}
          onInput={setName}
          error={fault('name')}
          required
          autofocus
          autocomplete="off"
        />
        <TextField
          label="Search"
          value={query()}
          onInput={setQuery}
          error={fault('query')}
          hint="What it finds, in the words of the search field."
          required
          autocomplete="off"
          spellcheck={false}
        />
        <Checkbox label="Shared with everybody" isChecked={isShared()} onChange={setShared} />
        <Show when={problem() && !fault('name') && !fault('query')}>
          <ErrorText>{sentenceOf(problem())}</ErrorText>
        </Show>
        <div class="dialog-foot">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={isBusy()}>
            Save view
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

import { useMutation } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { askBeforeLeaving } from '../../browser/unsaved-warning.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

interface RenameTagProps {
  isOpen: boolean
  onClose: () => void
  tag: string
  others: { tag: string; total: number }[]
  onDone: (to: string, changed: number) => void
}

/** Renames a tag on all of its tickets; into the name of another one, the two become one. */
export function RenameTag(props: RenameTagProps) {
  return (
    <Show when={props.isOpen}>
      <Renaming {...props} />
    </Show>
  )
}

function Renaming(props: RenameTagProps) {
  const [name, setName] = createSignal(props.tag)
  const twin = () => props.others.find(({ tag }) => tag === name().trim())
  const rename = useMutation(() => ({
    mutationFn: () => ask(api.console.tags.rename.post({ from: props.tag, to: name().trim() })),
    onSuccess: ({ changed }) => {
      props.onClose()
      props.onDone(name().trim(), changed)
    },
  }))
  askBeforeLeaving(() => name() !== props.tag)
  return (
    <Dialog
      isOpen
      onClose={() => props.onClose()}
      title={`Rename “${props.tag}”`}
      description="All tickets that carry it get the new name, and so do all saved views that look for it."
      size="small"
    >
      <DialogForm
        save={rename}
        fields={['to']}
        action={twin() ? 'Merge tags' : 'Rename tag'}
        isDisabled={name().trim() === props.tag}
        onCancel={() => props.onClose()}
      >
        <TextField
          label="New name"
          value={name()}
          onInput={setName}
          error={fieldError(rename.error, 'to')}
          maxlength={64}
          autocomplete="off"
          required
        />
        <Show when={twin()}>
          {(other) => (
            <p class="notice" role="status">
              There is a tag “{other().tag}” already, on {other().total}{' '}
              {other().total === 1 ? 'ticket' : 'tickets'}. The two become one, and cannot be told apart
              afterwards.
            </p>
          )}
        </Show>
      </DialogForm>
    </Dialog>
  )
}

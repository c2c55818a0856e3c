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

/** Renames a tag on all its tickets. Renaming it to another tag merges the two. */
export function RenameTag(props: RenameTagProps) {
  return (
    <Show when={props.isOpen}>
      <RenameTagDialog {...props} />
    </Show>
  )
}

function RenameTagDialog(props: RenameTagProps) {
  const [name, setName] = createSignal(props.tag)
  const sameName = () => props.others.find(({ tag }) => tag === name().trim())
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
      description="All tickets with it get the new name, and so do saved views that use it."
      size="small"
    >
      <DialogForm
        save={rename}
        fields={['to']}
        action={sameName() ? 'Merge tags' : 'Rename tag'}
        isUnchanged={name().trim() === props.tag}
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
        <Show when={sameName()}>
          {(other) => (
            <p class="notice" role="status">
              {other().total === 1 ? '1 ticket already has' : `${other().total} tickets already have`} “
              {other().tag}”. This merges both tags and can't be undone.
            </p>
          )}
        </Show>
      </DialogForm>
    </Dialog>
  )
}

import { createForm } from '../../forms/create-form.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { ViewFields } from './saved-views.ts'

interface SavedViewDialogProps extends ViewFields {
  isOpen: boolean
  onClose: () => void
  title: string
  onSave: (fields: ViewFields) => Promise<unknown>
}

/** Edits the name, search and sharing of a saved view. */
export default function SavedViewDialog(props: SavedViewDialogProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.title} size="small">
      <ViewForm {...props} />
    </Dialog>
  )
}

function ViewForm(props: SavedViewDialogProps) {
  const form = createForm({
    values: () => ({ name: props.name, query: props.query, isShared: props.isShared }),
    save: ({ name, query, isShared }) => props.onSave({ name: name.trim(), query: query.trim(), isShared }),
    onSaved: () => props.onClose(),
  })
  return (
    <DialogForm form={form} action="Save view" onCancel={props.onClose}>
      <TextField {...form.text('name')} label="Name" required autofocus autocomplete="off" />
      <TextField
        {...form.text('query')}
        label="Search"
        hint="The search it runs."
        required
        autocomplete="off"
        spellcheck={false}
      />
      <Checkbox {...form.check('isShared')} label="Share with team" />
    </DialogForm>
  )
}

import { useMutation } from '@tanstack/solid-query'
import { createStore } from 'solid-js/store'
import { fieldError } from '../../api/api-problem.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { ViewFields } from './saved-views.ts'

const FIELDS = ['name', 'query']

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
  const [values, setValues] = createStore({ name: props.name, query: props.query, isShared: props.isShared })
  const save = useMutation(() => ({
    mutationFn: () =>
      props.onSave({ name: values.name.trim(), query: values.query.trim(), isShared: values.isShared }),
    onSuccess: () => props.onClose(),
  }))
  return (
    <DialogForm save={save} fields={FIELDS} action="Save view" onCancel={props.onClose}>
      <TextField
        label="Name"
        value={values.name}
        onInput={(name) => setValues({ name })}
        error={fieldError(save.error, 'name')}
        required
        autofocus
        autocomplete="off"
      />
      <TextField
        label="Search"
        value={values.query}
        onInput={(query) => setValues({ query })}
        error={fieldError(save.error, 'query')}
        hint="The search it runs."
        required
        autocomplete="off"
        spellcheck={false}
      />
      <Checkbox
        label="Share with team"
        isChecked={values.isShared}
        onChange={(isShared) => setValues({ isShared })}
      />
    </DialogForm>
  )
}

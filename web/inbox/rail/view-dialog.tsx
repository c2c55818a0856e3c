import { useMutation } from '@tanstack/solid-query'
import { createStore } from 'solid-js/store'
import { fieldError } from '../../api/api-problem.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { ViewFields } from './saved-views.ts'

const FIELDS = ['name', 'query']

interface ViewDialogProps extends ViewFields {
  isOpen: boolean
  onClose: () => void
  title: string
  onSave: (given: ViewFields) => Promise<unknown>
}

/** Names a saved view, and says what it finds and who sees it. */
export function ViewDialog(props: ViewDialogProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.title} size="small">
      <ViewForm {...props} />
    </Dialog>
  )
}

function ViewForm(props: ViewDialogProps) {
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
        hint="What it finds, in the words of the search field."
        required
        autocomplete="off"
        spellcheck={false}
      />
      <Checkbox
        label="Shared with everybody"
        isChecked={values.isShared}
        onChange={(isShared) => setValues({ isShared })}
      />
    </DialogForm>
  )
}

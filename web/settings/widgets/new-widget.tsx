import { useNavigate } from '@solidjs/router'
import { useMutation } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { createStore } from 'solid-js/store'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { useSession } from '../../api/session.ts'
import { askBeforeLeaving } from '../../browser/unsaved-warning.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { showWidget, websiteOf } from './widget-data.ts'

/** Adds a widget, then opens its page with the snippet. */
export function NewWidget(props: { isOpen: boolean; onClose: () => void }) {
  return (
    <Show when={props.isOpen}>
      <NewWidgetDialog onClose={() => props.onClose()} />
    </Show>
  )
}

function NewWidgetDialog(props: { onClose: () => void }) {
  const session = useSession()
  const navigate = useNavigate()
  const [values, setValues] = createStore({ name: session().organization.name, origin: '' })
  const add = useMutation(() => ({
    mutationFn: () =>
      ask(api.console.widgets.post({ name: values.name, origins: [websiteOf(values.origin)] })),
    onSuccess: ({ widget }) => {
      showWidget(widget)
      props.onClose()
      navigate(`/settings/widget/${widget.id}`)
    },
  }))
  askBeforeLeaving(() => !add.data && values.origin !== '')
  return (
    <Dialog isOpen onClose={() => props.onClose()} title="New widget">
      <DialogForm
        save={add}
        fields={['name', 'origins', 'origins/0']}
        action="Add widget"
        onCancel={() => props.onClose()}
      >
        <TextField
          label="Name"
          hint="Only your team sees it."
          value={values.name}
          onInput={(name) => setValues({ name })}
          error={fieldError(add.error, 'name')}
          required
        />
        <TextField
          label="Website"
          hint="Where the widget may appear. You can add more websites later."
          placeholder="https://example.com"
          inputmode="url"
          autocomplete="url"
          value={values.origin}
          onInput={(origin) => setValues({ origin })}
          error={fieldError(add.error, 'origins/0') ?? fieldError(add.error, 'origins')}
          required
        />
      </DialogForm>
    </Dialog>
  )
}

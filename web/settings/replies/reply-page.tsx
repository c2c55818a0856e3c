import { useNavigate } from '@solidjs/router'
import { useMutation, useQuery } from '@tanstack/solid-query'
import { createMemo, Show } from 'solid-js'
import { fieldError } from '../../api/api-problem.ts'
import { type SavedReply, savedRepliesQuery } from '../../api/workspace.ts'
import { CardForm } from '../../forms/form.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Loaded } from '../loaded.tsx'
import { NotFound } from '../not-found.tsx'
import { Page } from '../page.tsx'
import { createTypedValues } from '../typed-values.ts'
import './replies.css'
import { saveReply } from './reply-data.ts'
import { ReplyPreview } from './reply-preview.tsx'
import { ReplyText } from './reply-text.tsx'

const LIST = '/settings/saved-replies'
const BACK = { href: LIST, name: 'Saved replies' }
const FIELDS = ['name', 'text']

/** Writes a saved reply; `new` for one that does not exist yet. */
export function ReplyPage(props: { id: string }) {
  const query = useQuery(() => ({ ...savedRepliesQuery, enabled: props.id !== 'new' }))
  return (
    <Show
      when={props.id !== 'new'}
      fallback={
        <Page title="New saved reply" back={BACK}>
          <Editor reply={undefined} />
        </Page>
      }
    >
      <Page title="Saved reply" back={BACK}>
        <Loaded query={query} what="The saved reply">
          {(list) => {
            const reply = createMemo(() => list().data.find(({ id }) => id === props.id))
            return (
              // What is typed must not be lost when the list is read again.
              <Show when={reply()?.id} fallback={<NotFound text="It may have been deleted." />} keyed>
                <Editor reply={reply()} />
              </Show>
            )
          }}
        </Loaded>
      </Page>
    </Show>
  )
}

function Editor(props: { reply: SavedReply | undefined }) {
  const navigate = useNavigate()
  const [values, setValues, sendValues] = createTypedValues('The saved reply', () => ({
    name: props.reply?.name ?? '',
    text: props.reply?.text ?? '',
  }))
  const save = useMutation(() => ({
    mutationFn: () => sendValues((sent) => saveReply(props.reply?.id, sent)),
    onSuccess: ({ name }) => {
      toast(`“${name}” is saved.`)
      navigate(LIST)
    },
  }))
  return (
    <div class="reply-editor">
      <CardForm
        save={save}
        fields={FIELDS}
        action="Save reply"
        beside={
          <ButtonLink look="quiet" href={LIST}>
            Cancel
          </ButtonLink>
        }
      >
        <TextField
          label="Name"
          hint="Agents search for it."
          value={values.name}
          onInput={(name) => setValues({ name })}
          error={fieldError(save.error, 'name')}
          maxlength={100}
          autocomplete="off"
          required
        />
        <ReplyText
          value={values.text}
          onInput={(text) => setValues({ text })}
          error={fieldError(save.error, 'text')}
        />
      </CardForm>
      <ReplyPreview text={values.text} />
    </div>
  )
}

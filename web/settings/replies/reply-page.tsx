import { useNavigate } from '@solidjs/router'
import { useMutation, useQuery } from '@tanstack/solid-query'
import { createMemo, Show } from 'solid-js'
import { fieldError } from '../../api/api-problem.ts'
import { type SavedReply, savedRepliesQuery } from '../../api/workspace.ts'
import { CardForm } from '../../forms/form.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { createFormState } from '../form-state.ts'
import { Page } from '../page-layout.tsx'
import { NotFound, QueryView } from '../query-view.tsx'
import './replies.css'
import { saveReply } from './reply-data.ts'
import { ReplyPreview } from './reply-preview.tsx'
import { ReplyText } from './reply-text.tsx'

const LIST = '/settings/saved-replies'
const BACK = { href: LIST, name: 'Saved replies' }
const FIELDS = ['name', 'text']

/** Edits a saved reply, or creates one when the id is `new`. */
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
        <QueryView query={query} what="the saved reply">
          {(list) => {
            const reply = createMemo(() => list().data.find(({ id }) => id === props.id))
            return (
              // Keyed by id, so that reloading the list does not lose what is typed.
              <Show when={reply()?.id} fallback={<NotFound text="It may have been deleted." />} keyed>
                <Editor reply={reply()} />
              </Show>
            )
          }}
        </QueryView>
      </Page>
    </Show>
  )
}

function Editor(props: { reply: SavedReply | undefined }) {
  const navigate = useNavigate()
  const form = createFormState('the saved reply', () => ({
    name: props.reply?.name ?? '',
    text: props.reply?.text ?? '',
  }))
  const save = useMutation(() => ({
    mutationFn: () => form.save((sent) => saveReply(props.reply?.id, sent)),
    onSuccess: ({ name }) => {
      toast(`Saved “${name}”.`)
      navigate(LIST)
    },
  }))
  return (
    <div class="reply-page-editor">
      <CardForm
        save={save}
        fields={FIELDS}
        action="Save reply"
        isUnchanged={!form.isChanged()}
        beside={
          <ButtonLink look="quiet" href={LIST}>
            Cancel
          </ButtonLink>
        }
      >
        <TextField
          label="Name"
          hint="Used for search."
          value={form.values.name}
          onInput={(name) => form.setValues({ name })}
          error={fieldError(save.error, 'name')}
          maxlength={100}
          autocomplete="off"
          required
        />
        <ReplyText
          value={form.values.text}
          onInput={(text) => form.setValues({ text })}
          error={fieldError(save.error, 'text')}
        />
      </CardForm>
      <ReplyPreview text={form.values.text} />
    </div>
  )
}

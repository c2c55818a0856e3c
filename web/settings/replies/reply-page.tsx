import { useNavigate } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import { createMemo, For, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { type SavedReply, savedRepliesQuery } from '../../api/workspace.ts'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import type { WritingField } from '../../formatting/writing-field.ts'
import { createForm } from '../../forms/create-form.ts'
import { CardForm } from '../../forms/form.tsx'
import { unknownIn, VARIABLES, type Variable } from '../../ticket/composer/variables.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { NotFound, Page } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import { contentOf, ReplyActions, ReplyFiles, valuesOf } from './reply-extras.tsx'
import './replies.css'

const LIST = '/settings/saved-replies'
const TEXT_ROWS = 9
const BACK = { href: LIST, name: 'Saved replies' }

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
  const session = useSession()
  const form = createForm({
    what: 'the saved reply',
    values: () => valuesOf(props.reply, session().agent.role === 'admin'),
    save: (values) => saveReply(props.reply?.id, contentOf(values)),
    onSaved: ({ name }) => {
      navigate(LIST)
      return `Saved “${name}”.`
    },
  })
  return (
    <CardForm
      form={form}
      action="Save reply"
      beside={
        <ButtonLink look="quiet" href={LIST}>
          Cancel
        </ButtonLink>
      }
    >
      <TextField
        {...form.text('name')}
        label="Name"
        hint="Used for search. “Billing / Refund” is in the group “Billing”."
        maxlength={100}
        autocomplete="off"
        required
      />
      <ReplyText {...form.text('text')} />
      <ReplyFiles files={form.values.files} onChange={(files) => form.set({ files })} />
      <ReplyActions form={form} />
      <Show when={!props.reply?.isShared || props.reply.isMine}>
        <Checkbox
          {...form.check('isShared')}
          label="Share with the team"
          hint="Everyone can use and change it. Otherwise only you have it."
        />
      </Show>
    </CardForm>
  )
}

type NewReply = Parameters<(typeof api.console)['saved-replies']['post']>[0]

/** Creates a saved reply, or changes the one with the id. */
export async function saveReply(id: string | undefined, values: NewReply) {
  const replies = api.console['saved-replies']
  const saved = id === undefined ? await ask(replies.post(values)) : await ask(replies({ id }).patch(values))
  void queries.invalidateQueries({ queryKey: queryKeys.savedReplies })
  return saved
}

/** The names of the variables, on their buttons. */
const VARIABLE_NAMES: Record<Variable, string> = {
  'customer.firstName': 'First name',
  'customer.name': 'Customer name',
  'customer.email': 'Customer email',
  'ticket.subject': 'Subject',
  'ticket.id': 'Ticket ID',
  'agent.name': 'Your name',
  'organization.name': 'Organization',
}

interface ReplyTextProps {
  value: string
  onInput: (value: string) => void
  error?: string | undefined
}

/** The text of a saved reply, with buttons that insert variables at the cursor, and its unknown variables. */
function ReplyText(props: ReplyTextProps) {
  let area: WritingField | undefined
  const unknown = createMemo(() => unknownIn(props.value))
  function insert(name: string) {
    area?.insertText(`{{${name}}}`)
  }
  return (
    <>
      <MarkdownArea
        ref={(element) => {
          area = element
        }}
        label="Text"
        rows={TEXT_ROWS}
        value={props.value}
        onInput={props.onInput}
        error={props.error}
      />
      <div class="stack-tight">
        <p class="field-hint">Insert a variable:</p>
        <ul class="reply-page-variables row">
          <For each={VARIABLES}>
            {(name) => (
              <li>
                <Button size="small" onClick={() => insert(name)} title={`{{${name}}}`}>
                  {VARIABLE_NAMES[name]}
                </Button>
              </li>
            )}
          </For>
        </ul>
        <p class="field-hint" role="status">
          <Show when={unknown().length > 0}>{unknownText(unknown())}</Show>
        </p>
      </div>
    </>
  )
}

function unknownText(names: string[]): string {
  const list = names.join(', ')
  return names.length === 1
    ? `${list} isn't a variable and will be sent as typed.`
    : `${list} aren't variables and will be sent as typed.`
}

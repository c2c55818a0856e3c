import { useQuery } from '@tanstack/solid-query'
import Plus from 'lucide-solid/icons/plus'
import SearchX from 'lucide-solid/icons/search-x'
import TextQuote from 'lucide-solid/icons/text-quote'
import Trash from 'lucide-solid/icons/trash'
import { createSignal, For, Show } from 'solid-js'
import { plainText } from '../../../server/formatting/plain-text.ts'
import { fold } from '../../../server/search/fold.ts'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { type SavedReply, savedRepliesQuery } from '../../api/workspace.ts'
import { useActionList } from '../../ticket/changes/action-words.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Entry, EntryList } from '../entry.tsx'
import { Page } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import './replies.css'
import { saveReply } from './reply-page.tsx'

/** Up to this many, no search field is shown. */
const FEW = 5

/** The saved replies, with a search. */
export function RepliesPage() {
  const query = useQuery(() => ({ ...savedRepliesQuery, reconcile: 'id' }))
  return (
    <Page
      title="Saved replies"
      lead="Write an answer once, use it often. In the inbox, type / in an empty reply to insert one. Name it “Billing / Refund” to put it into a group."
      actions={
        <ButtonLink look="primary" icon={<Plus />} href="/settings/saved-replies/new">
          New reply
        </ButtonLink>
      }
    >
      <QueryView query={query} what="saved replies" rows={4}>
        {(list) => (
          <Show when={list().data.length > 0} fallback={<NoReplies />}>
            <SearchedList replies={list().data} />
          </Show>
        )}
      </QueryView>
    </Page>
  )
}

function NoReplies() {
  return (
    <EmptyState
      icon={<TextQuote />}
      title="No saved replies yet"
      text="Save the answer you give most. Names and subjects fill in automatically."
    />
  )
}

function SearchedList(props: { replies: SavedReply[] }) {
  const [text, setText] = createSignal('')
  const matches = () => {
    const query = fold(text().trim())
    return props.replies.filter((reply) => fold(`${reply.name}\n${reply.text}`).includes(query))
  }
  return (
    <>
      <Show when={props.replies.length > FEW || text() !== ''}>
        <TextField
          label="Search saved replies"
          isLabelHidden
          type="search"
          placeholder="Search saved replies"
          value={text()}
          onInput={setText}
        />
      </Show>
      <Show
        when={matches().length > 0}
        fallback={<EmptyState icon={<SearchX />} title="No results" text="Try another word." />}
      >
        <For each={groupsOf(matches())}>
          {([group, replies]) => (
            <section class="replies-page-group">
              <Show when={group}>
                <h2>{group}</h2>
              </Show>
              <EntryList label={group || 'Saved replies'} items={replies}>
                {(reply) => <ReplyRow reply={reply} />}
              </EntryList>
            </section>
          )}
        </For>
      </Show>
    </>
  )
}

/** `Billing / Refund` is in the group `Billing`. */
function placeOf({ name }: SavedReply): { group: string; name: string } {
  const at = name.lastIndexOf(' / ')
  return at < 0 ? { group: '', name } : { group: name.slice(0, at), name: name.slice(at + 3) }
}

/** Those without a group first. */
function groupsOf(replies: SavedReply[]): [group: string, replies: SavedReply[]][] {
  const groups = Map.groupBy(replies, (reply) => placeOf(reply).group)
  return [...groups].toSorted(([one], [other]) => one.localeCompare(other))
}

/** What it does beside its text. */
function factsOf({ attachments = [], text }: SavedReply, actions: { words: string }[]): string[] {
  const does = actions.map(({ words }) => words).join(', ')
  const verb = text.trim() === '' && attachments.length === 0 ? 'At once: ' : 'Then: '
  const files = attachments.length === 1 ? '1 file' : `${attachments.length} files`
  return [does && `${verb}${does}`, attachments.length > 0 ? files : ''].filter(Boolean)
}

function ReplyRow(props: { reply: SavedReply }) {
  const wordsOf = useActionList()
  return (
    <Entry
      href={`/settings/saved-replies/${props.reply.id}`}
      title={
        <>
          {placeOf(props.reply).name}{' '}
          <Show when={!props.reply.isShared}>
            <Badge>Only you</Badge>
          </Show>
        </>
      }
      facts={factsOf(props.reply, wordsOf(props.reply.actions))}
      more={<span class="replies-page-text muted">{plainText(props.reply.text, 'text')}</span>}
      actions={
        <IconButton name={`Delete ${props.reply.name}`} onClick={() => void deleteReply(props.reply)}>
          <Trash />
        </IconButton>
      }
    />
  )
}

/** Deletes a saved reply at once, with an Undo that creates it again. */
async function deleteReply(reply: SavedReply): Promise<void> {
  const { id, name } = reply
  hideReply(id)
  try {
    await ask(api.console['saved-replies']({ id }).delete())
    toast(`Deleted “${name}”.`, { text: 'Undo', run: () => void restore(reply) })
  } catch (error) {
    toastError(errorMessage(error))
  }
  void queries.invalidateQueries({ queryKey: queryKeys.savedReplies })
}

async function restore({ attachments = [], actions, ...values }: SavedReply): Promise<void> {
  const { name, text, isShared } = values
  try {
    const files = attachments.map(({ id }) => id)
    await saveReply(undefined, { name, text, isShared, actions: actions ?? null, attachments: files })
  } catch (error) {
    toastError(`Couldn't restore “${values.name}”. ${errorMessage(error)}`)
  }
}

function hideReply(id: string): void {
  queries.setQueryData(
    savedRepliesQuery.queryKey,
    (list) => list && { ...list, data: list.data.filter((reply) => reply.id !== id) },
  )
}

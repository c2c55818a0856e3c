import { useQuery } from '@tanstack/solid-query'
import TagIcon from 'lucide-solid/icons/tag'
import { createSignal, For, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { type KnownTag, tagsQuery } from '../../api/workspace.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Page } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { RenameTag } from './rename-tag.tsx'
import './tags-page.css'

/** All tags in use, with the number of tickets of each. */
export function TagsPage() {
  // Always reloaded: tags change all the time.
  const query = useQuery(() => ({ ...tagsQuery, reconcile: 'tag', staleTime: 0 }))
  return (
    <Page title="Tags" lead="A tag is created when first used and disappears when no ticket has it.">
      <QueryView query={query} what="tags" rows={4}>
        {(list) => (
          <Show when={list().data.length > 0} fallback={<NoTags />}>
            <ul class="entry-list" aria-label="Tags">
              <For each={list().data}>{(tag) => <TagRow tag={tag} known={list().data} />}</For>
            </ul>
          </Show>
        )}
      </QueryView>
    </Page>
  )
}

function NoTags() {
  return (
    <EmptyState
      icon={<TagIcon />}
      title="No tags yet"
      text="In the inbox, press t on a ticket to add one, like “billing”."
      action={<a href="/inbox">Go to inbox</a>}
    />
  )
}

function TagRow(props: { tag: KnownTag; known: KnownTag[] }) {
  const [dialog, setDialog] = createSignal<'rename' | 'remove'>()
  const remove = async () => {
    const { changed } = await ask(api.console.tags.remove.post({ tag: props.tag.tag }))
    tagsChanged()
    toast(`Removed “${props.tag.tag}” from ${ticketCount(changed)}.`)
  }
  const others = () => props.known.filter(({ tag }) => tag !== props.tag.tag)
  return (
    <li class="entry tags-page-entry">
      <div class="entry-words">
        <p class="entry-title">
          <a href={`/inbox/tag~${encodeURIComponent(props.tag.tag)}`}>{props.tag.tag}</a>
        </p>
        <p class="entry-facts">
          <span>{ticketCount(props.tag.total)}</span>
          <span>{props.tag.open} open</span>
        </p>
      </div>
      <div class="entry-actions">
        <Button
          size="small"
          look="quiet"
          onClick={() => setDialog('rename')}
          aria-label={`Rename ${props.tag.tag}`}
        >
          Rename…
        </Button>
        <Button
          size="small"
          look="quiet"
          onClick={() => setDialog('remove')}
          aria-label={`Remove ${props.tag.tag}`}
        >
          Remove…
        </Button>
      </div>
      <RenameTag
        isOpen={dialog() === 'rename'}
        onClose={() => setDialog(undefined)}
        tag={props.tag.tag}
        others={others()}
        onDone={(to, changed) => {
          tagsChanged()
          toast(`${ticketCount(changed)} now ${changed === 1 ? 'has' : 'have'} “${to}”.`)
        }}
      />
      <ConfirmDialog
        isOpen={dialog() === 'remove'}
        onClose={() => setDialog(undefined)}
        title={`Remove “${props.tag.tag}”?`}
        text={`It will be removed from ${ticketCount(props.tag.total)}. ${viewWords(props.tag.views)}This can't be undone.`}
        action="Remove tag"
        onConfirm={remove}
      />
    </li>
  )
}

function tagsChanged(): void {
  const { tags, counts, tickets, views } = queryKeys
  for (const queryKey of [tags, counts, tickets, views]) void queries.invalidateQueries({ queryKey })
}

function ticketCount(count: number): string {
  return count === 1 ? '1 ticket' : `${count.toLocaleString('en')} tickets`
}

/** Saved views keep their search: there is no replacement for a removed tag. */
function viewWords(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? "1 saved view uses it and won't change. "
    : `${count.toLocaleString('en')} saved views use it and won't change. `
}

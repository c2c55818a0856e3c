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
import { Loaded } from '../loaded.tsx'
import { Page } from '../page.tsx'
import { RenameTag } from './rename-tag.tsx'
import './tags.css'

/** All tags in use, with how many tickets carry each. */
export function TagsPage() {
  // Tickets get and lose tags all the time.
  const query = useQuery(() => ({ ...tagsQuery, reconcile: 'tag', staleTime: 0 }))
  return (
    <Page
      title="Tags"
      lead="Words that sort tickets. A tag comes into being when somebody puts it on a ticket, and is gone when no ticket carries it."
    >
      <Loaded query={query} what="The tags" rows={4}>
        {(list) => (
          <Show when={list().data.length > 0} fallback={<NoTags />}>
            <ul class="entries" aria-label="Tags">
              <For each={list().data}>{(tag) => <TagRow tag={tag} known={list().data} />}</For>
            </ul>
          </Show>
        )}
      </Loaded>
    </Page>
  )
}

function NoTags() {
  return (
    <EmptyState
      icon={<TagIcon />}
      title="No tags yet"
      text="Press t on a ticket in the inbox to give it one, such as “billing”."
      action={<a href="/inbox">Go to the inbox</a>}
    />
  )
}

function TagRow(props: { tag: KnownTag; known: KnownTag[] }) {
  const [asked, setAsked] = createSignal<'rename' | 'remove'>()
  const remove = async () => {
    const { changed } = await ask(api.console.tags.remove.post({ tag: props.tag.tag }))
    tagsChanged()
    toast(`“${props.tag.tag}” is removed from ${ticketCount(changed)}.`)
  }
  const others = () => props.known.filter(({ tag }) => tag !== props.tag.tag)
  return (
    <li class="entry tag-entry">
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
          onClick={() => setAsked('rename')}
          aria-label={`Rename ${props.tag.tag}`}
        >
          Rename…
        </Button>
        <Button
          size="small"
          look="quiet"
          onClick={() => setAsked('remove')}
          aria-label={`Remove ${props.tag.tag}`}
        >
          Remove…
        </Button>
      </div>
      <RenameTag
        isOpen={asked() === 'rename'}
        onClose={() => setAsked(undefined)}
        tag={props.tag.tag}
        others={others()}
        onDone={(to, changed) => {
          tagsChanged()
          toast(`“${to}” stands on ${ticketCount(changed)} now.`)
        }}
      />
      <ConfirmDialog
        isOpen={asked() === 'remove'}
        onClose={() => setAsked(undefined)}
        title={`Remove “${props.tag.tag}”?`}
        text={`It is taken off ${ticketCount(props.tag.total)}; the tickets stay. ${viewWords(props.tag.views)}This cannot be undone.`}
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

/** Nobody can say what such a view should look for instead. */
function viewWords(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? 'One saved view names it, and stays as it is. '
    : `${count.toLocaleString('en')} saved views name it, and stay as they are. `
}

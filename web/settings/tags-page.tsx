import { useQuery } from '@tanstack/solid-query'
import TagIcon from 'lucide-solid/icons/tag'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import { type KnownTag, tagsQuery } from '../api/workspace.ts'
import { ConfirmButton } from '../forms/confirm-dialog.tsx'
import { createForm } from '../forms/create-form.ts'
import { FormDialog } from '../forms/form.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/text-field.tsx'
import { toast } from '../ui/toaster.tsx'
import { Entry } from './entry.tsx'
import { ListPage } from './query-view.tsx'

/** All tags in use, with the number of tickets of each. */
export function TagsPage() {
  // Always reloaded: tags change all the time.
  const query = useQuery(() => ({ ...tagsQuery, reconcile: 'tag', staleTime: 0 }))
  return (
    <ListPage
      title="Tags"
      lead="A tag is created when first used and disappears when no ticket has it."
      query={query}
      what="tags"
      label="Tags"
      empty={{
        icon: <TagIcon />,
        title: 'No tags yet',
        text: 'In the inbox, press t on a ticket to add one, like “billing”.',
        action: <a href="/inbox">Go to inbox</a>,
      }}
      row={(tag) => <TagRow tag={tag} all={query.data?.data ?? []} />}
    />
  )
}

function TagRow(props: { tag: KnownTag; all: KnownTag[] }) {
  const [isRenaming, setRenaming] = createSignal(false)
  const remove = async () => {
    const { changed } = await ask(api.console.tags.remove.post({ tag: props.tag.tag }))
    tagsChanged()
    toast(`Removed “${props.tag.tag}” from ${ticketCount(changed)}.`)
  }
  return (
    <Entry
      class="tags-page-entry"
      title={<a href={`/inbox/tag~${encodeURIComponent(props.tag.tag)}`}>{props.tag.tag}</a>}
      facts={[ticketCount(props.tag.total), `${props.tag.open} open`]}
      actions={
        <>
          <Button
            size="small"
            look="quiet"
            onClick={() => setRenaming(true)}
            aria-label={`Rename ${props.tag.tag}`}
          >
            Rename…
          </Button>
          <ConfirmButton
            label="Remove…"
            name={`Remove ${props.tag.tag}`}
            isQuiet
            title={`Remove “${props.tag.tag}”?`}
            text={`It will be removed from ${ticketCount(props.tag.total)}. ${viewWords(props.tag.views)}This can't be undone.`}
            action="Remove tag"
            onConfirm={remove}
          />
          <Show when={isRenaming()}>
            <RenameTag {...props} onClose={() => setRenaming(false)} />
          </Show>
        </>
      }
    />
  )
}

/** Renames a tag on all its tickets. Renaming it to another tag merges the two. */
function RenameTag(props: { tag: KnownTag; all: KnownTag[]; onClose: () => void }) {
  const form = createForm({
    values: () => ({ name: props.tag.tag }),
    save: ({ name }) => ask(api.console.tags.rename.post({ from: props.tag.tag, to: name.trim() })),
    onSaved: ({ changed }) => {
      const to = typed()
      props.onClose()
      tagsChanged()
      return `${ticketCount(changed)} now ${changed === 1 ? 'has' : 'have'} “${to}”.`
    },
  })
  const typed = (): string => form.values.name.trim()
  const sameName = () => props.all.find(({ tag }) => tag !== props.tag.tag && tag === typed())
  return (
    <FormDialog
      form={form}
      title={`Rename “${props.tag.tag}”`}
      description="All tickets with it get the new name, and so do saved views that use it."
      size="small"
      action={sameName() ? 'Merge tags' : 'Rename tag'}
      isUnchanged={typed() === props.tag.tag}
      onClose={props.onClose}
    >
      <TextField {...form.text('name', 'to')} label="New name" maxlength={64} autocomplete="off" required />
      <Show when={sameName()}>
        {(other) => (
          <p class="notice" role="status">
            {other().total === 1 ? '1 ticket already has' : `${other().total} tickets already have`} “
            {other().tag}”. This merges both tags and can't be undone.
          </p>
        )}
      </Show>
    </FormDialog>
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

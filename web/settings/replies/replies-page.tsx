import { useQuery } from '@tanstack/solid-query'
import Plus from 'lucide-solid/icons/plus'
import SearchX from 'lucide-solid/icons/search-x'
import TextQuote from 'lucide-solid/icons/text-quote'
import Trash from 'lucide-solid/icons/trash'
import { createSignal, For, Show } from 'solid-js'
import { type SavedReply, savedRepliesQuery } from '../../api/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Loaded } from '../loaded.tsx'
import { Page } from '../page.tsx'
import './replies.css'
import { deleteReply } from './reply-data.ts'

/** Below so many a search field is in the way. */
const FEW = 5

/** Answers that are written once and used often. */
export function RepliesPage() {
  const query = useQuery(() => ({ ...savedRepliesQuery, reconcile: 'id' }))
  return (
    <Page
      title="Saved replies"
      lead="Answers that are written once and used often. In the inbox, press / in an empty reply to put one in."
      actions={
        <ButtonLink look="primary" icon={<Plus />} href="/settings/saved-replies/new">
          New reply
        </ButtonLink>
      }
    >
      <Loaded query={query} what="The saved replies" rows={4}>
        {(list) => (
          <Show when={list().data.length > 0} fallback={<NoReplies />}>
            <SearchedList replies={list().data} />
          </Show>
        )}
      </Loaded>
    </Page>
  )
}

function NoReplies() {
  return (
    <EmptyState
      icon={<TextQuote />}
      title="No saved replies yet"
      text="Write down the answer that you give most often; names and subjects are filled in by themselves."
    />
  )
}

function SearchedList(props: { replies: SavedReply[] }) {
  const [text, setText] = createSignal('')
  const found = () => {
    const wanted = text().trim().toLocaleLowerCase()
    return props.replies.filter((reply) =>
      `${reply.name}\n${reply.text}`.toLocaleLowerCase().includes(wanted),
    )
  }
  return (
    <>
      <Show when={props.replies.length > FEW || text() !== ''}>
        <TextField
          label="Search the saved replies"
          isLabelHidden
          type="search"
          placeholder="Search names and texts"
          value={text()}
          onInput={setText}
        />
      </Show>
      <Show
        when={found().length > 0}
        fallback={<EmptyState icon={<SearchX />} title="Nothing matches" text="Try another word." />}
      >
        <ul class="entries" aria-label="Saved replies">
          <For each={found()}>{(reply) => <ReplyRow reply={reply} />}</For>
        </ul>
      </Show>
    </>
  )
}

function ReplyRow(props: { reply: SavedReply }) {
  return (
    <li class="reply-row">
      <a class="entry entry-link" href={`/settings/saved-replies/${props.reply.id}`}>
        <span class="entry-words">
          <span class="entry-title">{props.reply.name}</span>
          <span class="reply-text">{props.reply.text}</span>
        </span>
      </a>
      <IconButton name={`Delete ${props.reply.name}`} onClick={() => void deleteReply(props.reply)}>
        <Trash />
      </IconButton>
    </li>
  )
}

import { createMemo, For, onCleanup, onMount, Show } from 'solid-js'
import { useSession } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { isBlank } from './draft/draft-content.ts'
import { draftOf, forgetDrafts } from './draft/drafts.ts'
import { isDeletedTicket } from './ticket-query.ts'

interface DeletedTicketProps {
  ticketId: string
  onClose: () => void
}

const LABELS = { reply: 'Your reply', note: 'Your note' }

/** Shown in place of a ticket that doesn't exist. Unsent text can be copied one last time. */
export function DeletedTicket(props: DeletedTicketProps) {
  const me = useSession()().agent.id
  const { ticketId } = props
  const drafts = (['reply', 'note'] as const).map((kind) => {
    const draft = draftOf(me, ticketId, kind)
    // Keeps showing the text after the draft is discarded. A reply that was being sent may return only now.
    const text = createMemo<string>((last) => (isBlank(draft.state()) ? last : draft.state().text), '')
    return { kind, draft, text }
  })
  const written = createMemo(() => drafts.filter(({ text }) => text() !== ''))

  /** Whether this ticket was deleted, and not another one that is still loading. */
  const isDeleted = () => isDeletedTicket(ticketId)
  onMount(() => {
    if (!isDeleted()) return
    // Makes the text unsaved, so that it is offered once more after the page is closed here.
    for (const { draft, text } of written()) draft.keepOfDeletedTicket(text())
  })
  onCleanup(() => {
    if (isDeleted()) forgetDrafts(me, ticketId)
  })

  return (
    <Show
      when={written().length > 0}
      fallback={
        <EmptyState
          title="Ticket not found"
          text="It was deleted, or the link is wrong."
          action={<Button onClick={props.onClose}>Back to list</Button>}
        />
      }
    >
      <div class="deleted-ticket" role="alert">
        <p class="empty-state-title">This ticket was deleted.</p>
        <For each={written()}>
          {({ kind, text }) => (
            <>
              <p>{LABELS[kind]}:</p>
              <blockquote class="deleted-ticket-text">{text()}</blockquote>
              <CopyButton text={text()} name="Copy" isWritten onCopied={() => forgetDrafts(me, ticketId)} />
            </>
          )}
        </For>
        <p>Your text will be lost when you leave.</p>
        <Button onClick={props.onClose}>Back to list</Button>
      </div>
    </Show>
  )
}

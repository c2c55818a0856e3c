import { createMemo, For, onCleanup, onMount, Show } from 'solid-js'
import { isNotFound } from '../api/api-problem.ts'
import { queries } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { draftOf, forgetDrafts } from './composer/draft-registry.ts'
import { ticketQuery } from './ticket-query.ts'

interface GoneTicketProps {
  ticketId: string
  onClose: () => void
}

const WROTE = { reply: 'What you wrote', note: 'Your note' }

/** What stands where a ticket was. What the agent had begun there can be copied once more; then nothing of it is left. */
export function GoneTicket(props: GoneTicketProps) {
  const me = useSession()().agent.id
  const { ticketId } = props
  const begun = (['reply', 'note'] as const).map((kind) => {
    const draft = draftOf(me, ticketId, kind)
    // The text stays to be read when it is forgotten, and what was on its way may come back only now.
    const text = createMemo<string>((last) => (draft.isBlank() ? last : draft.text()), '')
    return { kind, draft, text }
  })
  const written = createMemo(() => begun.filter(({ text }) => text() !== ''))

  /** It is surely gone, and not another one still on its way. */
  const isDeleted = () => isNotFound(queries.getQueryState(ticketQuery(ticketId).queryKey)?.error)
  onMount(() => {
    if (!isDeleted()) return
    // Whoever closes the page here is offered it once more by the next one.
    for (const { draft, text } of written()) draft.write(text())
  })
  onCleanup(() => {
    if (isDeleted()) forgetDrafts(me, ticketId)
  })

  return (
    <Show
      when={written().length > 0}
      fallback={
        <EmptyState
          title="This ticket is not here"
          text="It was deleted, or the address is not quite right."
          action={<Button onClick={props.onClose}>Back to the list</Button>}
        />
      }
    >
      <div class="gone-ticket" role="alert">
        <p class="empty-state-title">This ticket was deleted.</p>
        <For each={written()}>
          {({ kind, text }) => (
            <>
              <p>{WROTE[kind]}:</p>
              <blockquote class="gone-text">{text()}</blockquote>
              <CopyButton text={text()} name="Copy" isWritten onCopied={() => forgetDrafts(me, ticketId)} />
            </>
          )}
        </For>
        <p>Nothing of it is kept when you leave.</p>
        <Button onClick={props.onClose}>Back to the list</Button>
      </div>
    </Show>
  )
}

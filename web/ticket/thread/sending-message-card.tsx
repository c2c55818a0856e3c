import CloudOff from 'lucide-solid/icons/cloud-off'
import { createMemo, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { pushUndo } from '../changes/undo.ts'
import { contentIn } from '../draft/draft-content.ts'
import type { DraftKind, Sending } from '../draft/draft-storage.ts'
import type { OpenDraft } from '../draft/drafts.ts'
import { MessageContent } from './message-text.tsx'

interface SendingMessageCardProps {
  kind: DraftKind
  draft: OpenDraft
  /** The text is in the field again. */
  onEdit: () => void
}

/** A message that was just sent, until the server has it. What happened to it then is in message-status.tsx. */
export function SendingMessageCard(props: SendingMessageCardProps) {
  const session = useSession()
  const me = () => session().agent
  const isNote = () => props.kind === 'note'
  const message = createMemo<Sending | null>((last) => props.draft.state().sending ?? last, null)
  const isLate = () => props.draft.state().isSendLate

  function edit() {
    props.draft.editUnsent()
    props.onEdit()
  }

  function discard() {
    const { draft } = props
    const { sending } = draft.state()
    if (!sending) return
    draft.discardUnsent()
    pushUndo({
      label: isNote() ? 'Note discarded' : 'Reply discarded',
      undo: () => draft.putBack(contentIn(sending), sending),
    })
  }

  return (
    <article
      class="message-group"
      data-who={isNote() ? 'note' : 'waiting'}
      aria-label={isNote() ? 'Unsent note' : 'Unsent reply'}
    >
      <Avatar name={me().name} id={me().id} isDecorative />
      <div class="message-group-body">
        <header class="message-group-head">
          <span class="message-group-name">{me().name}</span>
          <Show
            when={isLate()}
            fallback={<span class="message-group-time">{isNote() ? 'Adding…' : 'Sending…'}</span>}
          >
            <span class="message-group-kind" role="status">
              <CloudOff />
              Sends when you're online
            </span>
          </Show>
        </header>
        <div class="message-group-item">
          <MessageContent
            text={message()?.text ?? ''}
            format="markdown"
            attachments={message()?.attachments}
          />
        </div>
        <Show when={isLate()}>
          <div class="message-group-actions">
            <Button size="small" onClick={edit}>
              Edit
            </Button>
            <Button size="small" look="quiet" onClick={discard}>
              Discard
            </Button>
          </div>
        </Show>
      </div>
    </article>
  )
}

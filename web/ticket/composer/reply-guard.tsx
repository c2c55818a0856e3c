import { Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { MessageText } from '../thread/message-text.tsx'
import type { Answer } from './concurrent-reply.ts'

interface ReplyGuardProps {
  /** What was written meanwhile. */
  message: Answer | undefined
  onSendAnyway: () => void
  onEdit: () => void
  onDiscard: () => void
}

/** A colleague was faster: nothing has been sent, and the agent decides. */
export function ReplyGuard(props: ReplyGuardProps) {
  return (
    <div class="guard" role="alertdialog" aria-label="Somebody replied meanwhile" aria-modal="false">
      <Show when={props.message} fallback={<p class="guard-title">A colleague has replied meanwhile.</p>}>
        {(message) => (
          <>
            <p class="guard-title">
              {message().isMine ? 'You, on another page,' : (message().agentName ?? 'A colleague')} replied{' '}
              <RelativeTime at={message().createdAt} isLong />
            </p>
            <blockquote class="guard-message">
              <MessageText text={message().text} />
            </blockquote>
          </>
        )}
      </Show>
      <p class="guard-text">Your reply has not been sent.</p>
      <div class="guard-actions">
        <Button size="small" onClick={props.onSendAnyway}>
          Send anyway
        </Button>
        <Button
          size="small"
          look="primary"
          ref={(button) => queueMicrotask(() => button.focus())}
          onClick={props.onEdit}
        >
          Edit
        </Button>
        <Button size="small" look="quiet" onClick={props.onDiscard}>
          Discard
        </Button>
      </div>
    </div>
  )
}

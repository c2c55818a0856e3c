import CloudOff from 'lucide-solid/icons/cloud-off'
import { Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { MessageText } from './message-text.tsx'
import type { Outgoing } from './unsent-messages.ts'

/** What was just written, until the server has it. */
export function OutgoingCard(props: { outgoing: Outgoing }) {
  const session = useSession()
  const me = () => session().agent
  const isNote = () => props.outgoing.kind === 'note'
  return (
    <article
      class="speech"
      data-who={isNote() ? 'note' : 'waiting'}
      aria-label={isNote() ? 'Note on its way' : 'Reply on its way'}
    >
      <Avatar name={me().name} id={me().id} isDecorative />
      <div class="speech-body">
        <header class="speech-head">
          <span class="speech-name">{me().name}</span>
          <Show
            when={props.outgoing.isWaiting()}
            fallback={<span class="speech-time">{isNote() ? 'Adding…' : 'Sending…'}</span>}
          >
            <span class="speech-kind" role="status">
              <CloudOff />
              Waits for the connection
            </span>
          </Show>
        </header>
        <div class="speech-item">
          <MessageText text={props.outgoing.text} />
        </div>
        <Show when={props.outgoing.isWaiting()}>
          <div class="waiting-actions">
            <Button size="small" onClick={props.outgoing.edit}>
              Edit
            </Button>
            <Button size="small" look="quiet" onClick={props.outgoing.discard}>
              Discard
            </Button>
          </div>
        </Show>
      </div>
    </article>
  )
}

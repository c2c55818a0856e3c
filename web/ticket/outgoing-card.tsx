import { useSession } from '../session.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { MessageText } from './message-text.tsx'
import type { Outgoing } from './outgoing.ts'

/** What was just written, until the server has it. */
export function OutgoingCard(props: { outgoing: Outgoing }) {
  const session = useSession()
  const me = () => session().agent
  return (
    <article class="speech" data-who={props.outgoing.kind === 'note' ? 'note' : 'waiting'}>
      <Avatar name={me().name} id={me().id} isDecorative />
      <div class="speech-body">
        <header class="speech-head">
          <span class="speech-name">{me().name}</span>
          <span class="speech-time">{props.outgoing.kind === 'note' ? 'Adding…' : 'Sending…'}</span>
        </header>
        <div class="speech-item">
          <MessageText text={props.outgoing.text} />
        </div>
      </div>
    </article>
  )
}

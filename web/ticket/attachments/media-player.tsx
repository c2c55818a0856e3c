import { createSignal, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { type Attachment, attachmentUrl } from './attachment-type.ts'
import './media-player.css'

/** Plays a voice message, a song or a video. The browser loads its length at first, and the rest when it is played. */
export function MediaPlayer(props: { file: Attachment }) {
  const [isUnplayable, setUnplayable] = createSignal(false)
  const isVideo = () => props.file.type.startsWith('video/')
  return (
    <Show
      when={!isUnplayable()}
      fallback={<p class="media-player-fault">This browser can't play it. Download it to play it.</p>}
    >
      <Dynamic
        component={isVideo() ? 'video' : 'audio'}
        class="media-player"
        controls
        playsinline
        preload="metadata"
        src={attachmentUrl(props.file.id)}
        aria-label={`Play ${props.file.name}`}
        onError={() => setUnplayable(true)}
      />
    </Show>
  )
}

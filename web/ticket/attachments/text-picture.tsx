import { createSignal, Show } from 'solid-js'
import { type Attachment, attachmentUrl, pictureNamed } from './attachment-type.ts'
import './text-picture.css'

interface TextPictureProps {
  /** Of its file. */
  name: string
  alt: string
  /** Files of the message. */
  attachments: readonly Attachment[] | undefined
}

/** A picture where the text of a message names it. Its size is known before it loads, so that nothing moves. */
export function TextPicture(props: TextPictureProps) {
  return (
    <Show when={pictureNamed(props.attachments, props.name)} fallback={props.alt}>
      {(picture) => (
        <a
          class="text-picture"
          href={attachmentUrl(picture().id)}
          target="_blank"
          rel="noopener"
          aria-haspopup="dialog"
          aria-label={`View ${props.alt || picture().name}`}
          data-image={picture().id}
          onClick={(event) => viewOnClick(event, picture().id)}
        >
          <img
            src={attachmentUrl(picture().id)}
            alt={props.alt}
            width={picture().width}
            height={picture().height}
            loading="lazy"
            decoding="async"
          />
        </a>
      )}
    </Show>
  )
}

const [viewedImage, setViewedImage] = createSignal<string>()

/** Id of the attachment that the viewer shows, if it is open. */
export { setViewedImage, viewedImage }

/** For a link to an image: a plain click opens the viewer, other clicks do what they do on links. */
export function viewOnClick(event: MouseEvent, id: string): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  setViewedImage(id)
}

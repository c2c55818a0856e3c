import { onCleanup, Show } from 'solid-js'
import { lazyPart } from '../../live/lazy-page.tsx'
import { toastError } from '../../ui/toaster.tsx'
import type { ComposerState } from '../composer/composer-state.ts'
import type { TicketDetail } from '../ticket-query.ts'
import { type Attachment, isImage, isInHtml } from './attachment-type.ts'
import { setViewedImage, viewedImage } from './view-on-click.ts'

/** Loaded when the first image is opened. */
const ImageViewer = lazyPart(
  async () => (await import('./image-viewer.tsx')).ImageViewer,
  () => {
    toastError("Couldn't open the image. Check your connection and reload the page.")
    return null
  },
)

interface ViewedImageProps {
  detail: TicketDetail
  composer: ComposerState
}

/** The viewer, while an image of the ticket is open. */
export function ViewedImage(props: ViewedImageProps) {
  const close = () => setViewedImage(undefined)
  onCleanup(close)
  return (
    <Show when={viewedImage()}>
      {(id) => (
        <ImageViewer
          images={imagesBeside(id(), props)}
          shown={id()}
          onShow={setViewedImage}
          onClose={close}
        />
      )}
    </Show>
  )
}

/** The images that the viewer goes through: those of the draft with the image, or all of the ticket. */
function imagesBeside(id: string, { detail, composer }: ViewedImageProps): Attachment[] {
  const { reply, note } = composer.drafts
  const contents = [reply, note].flatMap(({ state }) => [state(), state().sending ?? []].flat())
  const draft = contents.find(({ attachments }) => attachments.some((one) => one.id === id))
  const sent = [...detail.timeline, ...detail.waiting].flatMap((entry) =>
    'attachments' in entry ? (entry.attachments ?? []) : [],
  )
  // What HTML shows within its text is often a logo.
  return (draft?.attachments ?? sent).filter((one) => isImage(one) && (!isInHtml(one) || one.id === id))
}

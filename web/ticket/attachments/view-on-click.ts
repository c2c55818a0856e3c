import { createSignal } from 'solid-js'

/** Id of the attachment that the viewer shows, if it is open. */
export const [viewedImage, setViewedImage] = createSignal<string>()

/** For a link to an image: a plain click opens the viewer, other clicks do what they do on links. */
export function viewOnClick(event: MouseEvent, id: string): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  setViewedImage(id)
}

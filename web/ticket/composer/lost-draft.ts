import { copyText } from '../../ui/copy-button.tsx'
import { toastError } from '../../ui/toaster.tsx'

const MOST_SHOWN = 120

/**
 * The ticket was deleted before what was written there could be saved. Its page offers the text as long as it is open;
 * elsewhere a notice does. Nothing else of it is kept.
 */
export function offerLost(ticketId: string, text: string, forget: () => void): void {
  if (location.pathname.endsWith(`/${ticketId}`)) return
  forget()
  if (text.trim() === '') return
  const beginning = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  toastError(`A ticket that you were writing on was deleted. What you wrote: “${beginning}”`, {
    text: 'Copy',
    run: () => void copyText(text),
  })
}

import { announce } from './announcer.tsx'
import { toastError } from './toaster.tsx'

/** Copies a text, and says so. False when the browser does not let it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    toastError('This browser does not let the page copy. Select the text and copy it yourself.')
    return false
  }
  announce('Copied')
  return true
}

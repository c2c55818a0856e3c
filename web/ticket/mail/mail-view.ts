import { type Accessor, createSignal } from 'solid-js'
import { readStored, store } from '../../browser/local-storage.ts'
import type { MessageEntry } from '../ticket-query.ts'

const KEY = 'bellhop.mail-images'
/** Messages whose images this browser shows; older ones ask again. */
const MAX_REMEMBERED = 500

const [withImages, setWithImages] = createSignal(readStored(KEY, isIds, []))

/** How a mail is shown in this tab. */
export interface MailView {
  /** With its formatting, in a frame. */
  isFormatted: Accessor<boolean>
  setFormatted: (isFormatted: boolean) => void
  isQuoteShown: Accessor<boolean>
  setQuoteShown: (isShown: boolean) => void
  /** Images from elsewhere are blocked. */
  isBlocking: Accessor<boolean>
  /** Shows them, now and whenever this browser opens the message. */
  showImages: () => void
}

/** Starts with the formatting if it shows more than the text. */
export function createMailView(message: Accessor<MessageEntry>): MailView {
  const [choice, setChoice] = createSignal<boolean>()
  const [isQuoteShown, setQuoteShown] = createSignal(false)
  const isFormatted = () => message().html !== undefined && (choice() ?? message().html === 'formatted')
  return {
    isFormatted,
    setFormatted: setChoice,
    isQuoteShown,
    setQuoteShown,
    isBlocking: () => message().hasRemoteImages === true && !withImages().includes(message().id),
    showImages() {
      const { id } = message()
      const ids = [id, ...withImages().filter((other) => other !== id)].slice(0, MAX_REMEMBERED)
      setWithImages(ids)
      store(KEY, ids)
      setChoice(true)
    },
  }
}

function isIds(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((id) => typeof id === 'string')
}

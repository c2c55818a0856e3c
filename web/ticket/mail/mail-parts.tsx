import { lazyPart } from '../../live/lazy-page.tsx'
import { MessageText } from '../thread/message-text.tsx'
import { loadQuoteCutter } from '../thread/quotes.ts'

// What only mails need in a thread, and what opens on a click: loaded soon after the first view of the inbox, or with the
// first ticket. Without a connection, a message is still shown as its text.

const Recipients = lazyPart(async () => (await import('./message-recipients.tsx')).MessageRecipients)
const Body = lazyPart(
  async () => (await import('./mail-body.tsx')).MailBody,
  ({ message }) => <MessageText text={message.text} format={message.format} />,
)
const Menu = lazyPart(async () => (await import('./message-menu.tsx')).MessageMenu)
const FailedSend = lazyPart(async () => (await import('./failed-send.tsx')).FailedSend)

export const MailParts = { Recipients, Body, Menu, FailedSend }

/** Loads them before they are needed. */
export function preloadMailParts(): void {
  for (const part of Object.values(MailParts)) void part.preload()
  void loadQuoteCutter()
}

import { type Component, lazy } from 'solid-js'
import { MessageText } from '../thread/message-text.tsx'

// What only mails need in a thread, and what opens on a click: loaded soon after the first view of the inbox, or with the
// first ticket. Without a connection, a message is still shown as its text.

const Recipients = later(async () => (await import('./message-recipients.tsx')).MessageRecipients, Nothing)
const Body = later(
  async () => (await import('./mail-body.tsx')).MailBody,
  ({ message }) => <MessageText text={message.text} format={message.format} />,
)
const Menu = later(async () => (await import('./message-menu.tsx')).MessageMenu, Nothing)
const FailedSend = later(async () => (await import('./failed-send.tsx')).FailedSend, Nothing)

export const MailParts = { Recipients, Body, Menu, FailedSend }

/** Loads them before they are needed. */
export function preloadMailParts(): void {
  for (const part of Object.values(MailParts)) void part.preload()
}

function later<Props extends object>(load: () => Promise<Component<Props>>, fallback: Component<Props>) {
  return lazy<Component<Props>>(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: fallback }),
    ),
  )
}

function Nothing() {
  return null
}

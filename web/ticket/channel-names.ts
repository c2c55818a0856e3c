import type { Ticket } from './ticket-query.ts'

type Channel = Ticket['channel']

/** Where tickets come from. */
export const CHANNEL_NAMES: Record<Channel, string> = {
  api: 'API',
  email: 'Email',
  telegram: 'Telegram',
  widget: 'Website widget',
}

/** Why replies on a channel can't be sent, and the settings page for it. */
interface MissingConnection {
  reason: string
  settingsHref: string
}

/** Only the API sends messages so far. The other channels can't be connected in this version. */
const MISSING_CONNECTIONS: Record<Channel, MissingConnection | undefined> = {
  api: undefined,
  email: { reason: "email isn't connected", settingsHref: '/settings/email' },
  telegram: { reason: "Telegram isn't connected", settingsHref: '/settings/telegram' },
  widget: { reason: "the website widget isn't connected", settingsHref: '/settings/widget' },
}

/** Why replies on this channel can't be sent, or undefined if they can. */
export function missingConnection(channel: Channel): MissingConnection | undefined {
  return MISSING_CONNECTIONS[channel]
}

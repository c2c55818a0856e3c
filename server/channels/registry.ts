import { apiChannel } from './api/api-channel.ts'
import type { Channel, Channels } from './channel.ts'
import { emailChannel } from './email/email-channel.ts'
import type { ChannelKind } from './kinds.ts'
import { telegramChannel } from './telegram/telegram-channel.ts'
import { widgetChannel } from './widget/widget-channel.ts'

/** What plans messages is small and always loaded. What receives and sends is loaded once it is used. */
const all: Channel[] = [emailChannel, telegramChannel, widgetChannel, apiChannel]
const accounts = all.flatMap((channel) => channel.accounts ?? [])

/** Adds a channel whose kind is registered. */
export function registerChannel(channel: Channel): void {
  all.push(channel)
  if (channel.accounts) accounts.push(channel.accounts)
}

export const channels: Channels = {
  all,
  accounts,
  of(kind: ChannelKind): Channel {
    const found = all.find((channel) => channel.kind === kind)
    if (!found) throw new Error(`There is no channel "${kind}".`)
    return found
  },
  sending(kind) {
    const { sending } = channels.of(kind)
    if (!sending) throw new Error(`Nothing is sent through the channel "${kind}".`)
    return sending
  },
  byAddress: emailChannel,
}

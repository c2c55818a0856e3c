/** The channels through which customers write, by name. A further one augments this. */
export interface ChannelKinds {
  widget: true
  email: true
  telegram: true
  api: true
}
export type ChannelKind = keyof ChannelKinds

/** What takes an agent's message to the customer. `webhook`: nothing of ours, only an integration that gets the event. */
export type SentBy = ChannelKind | 'webhook'

export const CHANNELS: ChannelKind[] = ['widget', 'email', 'telegram', 'api']
export const SENT_BY: SentBy[] = ['email', 'widget', 'telegram', 'webhook']

/** Adds a channel, before anything else is loaded: schemas and queries list them all. */
export function registerKind(kind: ChannelKind): void {
  CHANNELS.push(kind)
  SENT_BY.push(kind)
}

import Code from 'lucide-solid/icons/code'
import Mail from 'lucide-solid/icons/mail'
import MessageCircle from 'lucide-solid/icons/message-circle'
import Send from 'lucide-solid/icons/send'
import { Dynamic } from 'solid-js/web'
import type { Row } from './inbox-data.ts'

type Channel = Row['channel']

const CHANNELS: Record<Channel, { name: string; icon: typeof Mail }> = {
  widget: { name: 'Website', icon: MessageCircle },
  email: { name: 'E-mail', icon: Mail },
  telegram: { name: 'Telegram', icon: Send },
  api: { name: 'API', icon: Code },
}

/** Where a ticket came from. */
export function ChannelIcon(props: { channel: Channel }) {
  return (
    <Dynamic component={CHANNELS[props.channel].icon} aria-label={CHANNELS[props.channel].name} role="img" />
  )
}

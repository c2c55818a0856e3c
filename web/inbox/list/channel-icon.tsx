import Code from 'lucide-solid/icons/code'
import Mail from 'lucide-solid/icons/mail'
import MessageCircle from 'lucide-solid/icons/message-circle'
import Send from 'lucide-solid/icons/send'
import { Dynamic } from 'solid-js/web'
import { CHANNEL_NAMES } from '../../ticket/channel-names.ts'
import type { Row } from '../inbox-data.ts'

type Channel = Row['channel']

const ICONS: Record<Channel, typeof Mail> = { widget: MessageCircle, email: Mail, telegram: Send, api: Code }

/** Where a ticket came from. */
export function ChannelIcon(props: { channel: Channel }) {
  return <Dynamic component={ICONS[props.channel]} aria-label={CHANNEL_NAMES[props.channel]} role="img" />
}

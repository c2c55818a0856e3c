import { PlannedChannel } from './planned-channel.tsx'

const PLAN = [
  'Each chat with your bot will be one customer; what they write stands in one ticket until it is resolved.',
  'Replies of all agents will come from the bot; customers see no private account.',
]

/** Telegram: what it will do, and that it cannot be connected yet. */
export function TelegramPage() {
  return (
    <PlannedChannel
      title="Telegram"
      lead="Messages to your bot will become tickets, and your replies will appear in the chat."
      status="This version of Bellhop cannot be connected to a bot yet. Until then, your own programs can turn messages into tickets with the API."
      plan={PLAN}
    />
  )
}

import { PlannedChannel } from './planned-channel.tsx'

const PLAN = [
  "Each chat with your bot is one customer. Messages go to one ticket until it's resolved.",
  "Replies come from the bot, so agents' own accounts stay private.",
]

/** The Telegram channel, which is not available yet. */
export function TelegramPage() {
  return (
    <PlannedChannel
      title="Telegram"
      lead="Turn messages to your bot into tickets, and reply in the chat."
      status="Telegram isn't available yet. For now, create tickets through the API."
      plan={PLAN}
    />
  )
}

import { For, type JSX } from 'solid-js'
import { StatusDot } from '../../ui/badge.tsx'
import { Page, Section } from '../page-layout.tsx'
import './planned-channels.css'

interface PlannedChannelProps {
  title: string
  /** What the channel is for. */
  lead: string
  /** That it is not available yet, and what to do until then. */
  status: string
  /** How it will work, one sentence each. */
  plan: readonly string[]
  children?: JSX.Element
}

/** The page of a channel that cannot be connected yet. */
export function PlannedChannel(props: PlannedChannelProps) {
  return (
    <Page title={props.title} lead={props.lead}>
      <div class="card planned-channels-status">
        <p class="entry-title">
          <StatusDot tone="grey" />
          Coming soon
        </p>
        <p class="muted">{props.status}</p>
      </div>
      <Section title="How it will work">
        <ul class="planned-channels-list">
          <For each={props.plan}>{(sentence) => <li>{sentence}</li>}</For>
        </ul>
      </Section>
      {props.children}
    </Page>
  )
}

const TELEGRAM_PLAN = [
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
      plan={TELEGRAM_PLAN}
    />
  )
}

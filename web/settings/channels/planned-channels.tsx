import { For } from 'solid-js'
import { StatusDot } from '../../ui/badge.tsx'
import { Page, Section } from '../page-layout.tsx'
import './planned-channels.css'

const PLAN = [
  "Each chat with your bot is one customer. Messages go to one ticket until it's resolved.",
  "Replies come from the bot, so agents' own accounts stay private.",
]

/** The Telegram channel, which is not available yet. */
export function TelegramPage() {
  return (
    <Page title="Telegram" lead="Turn messages to your bot into tickets, and reply in the chat.">
      <div class="card planned-channels-status">
        <p class="entry-title">
          <StatusDot tone="grey" />
          Coming soon
        </p>
        <p class="muted">Telegram isn't available yet. For now, create tickets through the API.</p>
      </div>
      <Section title="How it will work">
        <ul class="planned-channels-list">
          <For each={PLAN}>{(sentence) => <li>{sentence}</li>}</For>
        </ul>
      </Section>
    </Page>
  )
}

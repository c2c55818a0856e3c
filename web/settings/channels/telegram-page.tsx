import { Page, Section } from '../page.tsx'
import { NotConnected } from './channel-status.tsx'

/** Telegram: what it will do, and that it cannot be connected yet. */
export function TelegramPage() {
  return (
    <Page
      title="Telegram"
      lead="Messages to your bot will become tickets, and your replies will appear in the chat."
    >
      <NotConnected>
        This version of Bellhop cannot be connected to a bot yet. Until then, your own programs can turn
        messages into tickets with the API.
      </NotConnected>
      <Section title="How it will work">
        <ul class="bullets">
          <li>
            Each chat with your bot will be one customer; what they write stands in one ticket until it is
            resolved.
          </li>
          <li>Replies of all agents will come from the bot; customers see no private account.</li>
        </ul>
      </Section>
    </Page>
  )
}

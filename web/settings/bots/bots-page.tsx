import { useQuery } from '@tanstack/solid-query'
import ChevronRight from 'lucide-solid/icons/chevron-right'
import Plus from 'lucide-solid/icons/plus'
import Send from 'lucide-solid/icons/send'
import { createSignal, For, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Page } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { type Bot, botsQuery } from './bot-data.ts'
import { BotState, queueSentence } from './bot-state.tsx'
import { NewBot } from './new-bot.tsx'

const REFETCH_MS = 10_000

/** The Telegram bots of the organization with their health. */
export function BotsPage() {
  const query = useQuery(() => ({ ...botsQuery, reconcile: 'id', refetchInterval: REFETCH_MS }))
  const [isAdding, setAdding] = createSignal(false)
  const add = () => (
    <Button look="primary" icon={<Plus />} onClick={() => setAdding(true)}>
      Add bot
    </Button>
  )
  return (
    <Page
      title="Telegram"
      lead={
        <>
          Messages to these bots become tickets, and replies arrive in the same chat.{' '}
          <DocsLink to="/docs/telegram">Connect a Telegram bot</DocsLink> explains each step.
        </>
      }
      actions={add()}
    >
      <QueryView query={query} what="bots" rows={2}>
        {(list) => (
          <Show
            when={list().data.length > 0}
            fallback={
              <EmptyState
                icon={<Send />}
                title="No bots yet"
                text="Create a bot with @BotFather in Telegram, then add it here with its token."
                action={add()}
              />
            }
          >
            <ul class="entry-list" aria-label="Bots">
              <For each={list().data}>{(bot) => <BotRow bot={bot} />}</For>
            </ul>
          </Show>
        )}
      </QueryView>
      <NewBot isOpen={isAdding()} onClose={() => setAdding(false)} />
    </Page>
  )
}

function BotRow(props: { bot: Bot }) {
  const isQuiet = () => ['active', 'connecting', 'paused'].includes(props.bot.state)
  const waiting = () => props.bot.queue.incoming + props.bot.queue.outgoing
  return (
    <li>
      <a class="entry entry-link" href={`/settings/telegram/${props.bot.id}`}>
        <span class="entry-words">
          <span class="entry-title">
            {props.bot.name}
            <BotState bot={props.bot} />
          </span>
          <span class="entry-facts">
            <span>@{props.bot.username}</span>
            <LastMessage word="in" at={props.bot.lastUpdateAt} />
            <LastMessage word="out" at={props.bot.lastSentAt} />
            <Show when={waiting() > 0}>
              <span>{queueSentence(props.bot)}</span>
            </Show>
          </span>
          <Show when={!isQuiet()}>
            <span class="entry-error">{props.bot.detail}</span>
          </Show>
        </span>
        <ChevronRight class="muted" />
      </a>
    </li>
  )
}

function LastMessage(props: { word: 'in' | 'out'; at: string | null }) {
  return (
    <span>
      <Show when={props.at} fallback={`No message ${props.word} yet`}>
        {(at) => (
          <>
            Last message {props.word} <RelativeTime at={at()} isLong />
          </>
        )}
      </Show>
    </span>
  )
}

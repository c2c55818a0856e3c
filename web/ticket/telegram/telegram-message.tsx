import CircleSlash from 'lucide-solid/icons/circle-slash'
import FileX from 'lucide-solid/icons/file-x'
import Forward from 'lucide-solid/icons/forward'
import { createSignal, For, Show } from 'solid-js'
import { formatSize } from '../../../server/text/sizes.ts'
import { api, ask } from '../../api/api.ts'
import { observe } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { Time } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { MessageText } from '../thread/message-text.tsx'
import { dateTime } from '../thread/times.ts'
import type { MessageEntry } from '../ticket-query.ts'
import './telegram-message.css'

interface TelegramMessageProps {
  message: MessageEntry
  ticketId: string
  terms: readonly string[]
}

/** The text of a message of Telegram, with where it comes from, what it replies to, and what happened to it. */
export function TelegramMessage(props: TelegramMessageProps) {
  const facts = () => props.message.chat
  return (
    <div class="telegram-message">
      <Show when={facts()?.forwardedFrom}>
        {(name) => (
          <p class="telegram-message-origin">
            <Forward />
            Forwarded from {name()}
          </p>
        )}
      </Show>
      <Show when={facts()?.repliesTo}>{(reply) => <RepliesTo {...reply()} />}</Show>
      <Show when={props.message.takenBackAt} fallback={<Text {...props} />}>
        {(at) => (
          <div class="telegram-message-gone">
            <p>
              <CircleSlash />
              <span>
                Taken back <Time at={at()}>{dateTime(at())}</Time>. The customer no longer sees it.
              </span>
            </p>
            <Text {...props} />
          </div>
        )}
      </Show>
      <Show when={facts()?.missingFiles?.length}>
        <ul class="telegram-message-missing" aria-label="Files that weren't received">
          <For each={facts()?.missingFiles}>
            {({ name, size, reason }) => (
              <li>
                <FileX />
                <span>
                  <strong>{name}</strong>
                  {size ? ` (${formatSize(size)})` : ''}: {reason}
                </span>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={props.message.editedAt}>
        {(at) => <Edits ticketId={props.ticketId} message={props.message} at={at()} />}
      </Show>
    </div>
  )
}

/** Nothing for a message that is only files. */
function Text(props: TelegramMessageProps) {
  return (
    <Show when={props.message.text}>
      <MessageText text={props.message.text} format={props.message.format} terms={props.terms} />
    </Show>
  )
}

/** The beginning of the message that this one answers. It leads there, if the thread shows it. */
function RepliesTo(props: { messageId: string | null; text: string }) {
  const text = () => props.text || 'A message without text'
  return (
    <Show
      when={props.messageId}
      fallback={
        <blockquote class="telegram-message-quote">
          <span class="unseen">In reply to: </span>
          {text()}
        </blockquote>
      }
    >
      {(id) => (
        <button type="button" class="telegram-message-quote" onClick={() => showMessage(id())}>
          <span class="unseen">In reply to: </span>
          {text()}
        </button>
      )}
    </Show>
  )
}

function showMessage(id: string): void {
  const message = document.querySelector(`[data-message="${CSS.escape(id)}"]`)
  message?.scrollIntoView({ block: 'center' })
}

/** "Edited", and what it said before. */
function Edits(props: { ticketId: string; message: MessageEntry; at: string }) {
  const [isOpen, setOpen] = createSignal(false)
  return (
    <div class="telegram-message-edits">
      <button
        type="button"
        class="telegram-message-edited text-button muted small"
        aria-expanded={isOpen()}
        onClick={() => setOpen(!isOpen())}
      >
        Edited <Time at={props.at}>{dateTime(props.at)}</Time> · {isOpen() ? 'Hide' : 'Show'} earlier text
      </button>
      <Show when={isOpen()}>
        <EarlierTexts ticketId={props.ticketId} message={props.message} />
      </Show>
    </div>
  )
}

function EarlierTexts(props: { ticketId: string; message: MessageEntry }) {
  const edits = observe(() => ({
    queryKey: queryKeys.messageEdits(props.message.id, props.message.editedAt),
    queryFn: () =>
      ask(api.console.tickets({ id: props.ticketId }).messages({ messageId: props.message.id }).edits.get()),
  }))
  return (
    <Show
      when={edits().data}
      fallback={
        <Show when={edits().error} fallback={<Skeleton lines={2} label="Loading the earlier text" />}>
          <FailedQuery title="Couldn't load the earlier text" query={edits()} />
        </Show>
      }
    >
      {(list) => (
        <ol class="telegram-message-versions" aria-label="Earlier text">
          <For each={list().data}>
            {({ text, format, editedAt }) => (
              <li>
                <p class="telegram-message-version-time muted small">
                  Until <Time at={editedAt}>{dateTime(editedAt)}</Time>
                </p>
                <MessageText text={text} format={format} />
              </li>
            )}
          </For>
        </ol>
      )}
    </Show>
  )
}

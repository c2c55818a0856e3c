import { Show } from 'solid-js'
import { fill } from '../texts/texts.ts'
import { useWidget } from './widget-context.ts'

/** Outside the opening hours: when someone answers. */
export function ChatAway() {
  const { client, texts, language } = useWidget()
  return (
    <p class="chat-away" dir="auto">
      {client.settings().awayText || texts().away}
      <Show when={client.settings().opensAt}>
        {(opensAt) => (
          <span class="chat-away-time">
            {fill(texts().backAt, { time: dayAndTime(opensAt(), language()) })}
          </span>
        )}
      </Show>
    </p>
  )
}

/** The next opening is at most a week away. */
function dayAndTime(iso: string, language: string): string {
  const date = new Date(iso)
  const isToday = date.toDateString() === new Date().toDateString()
  const day = isToday ? {} : ({ weekday: 'long' } as const)
  return date.toLocaleString(language, { ...day, hour: 'numeric', minute: '2-digit' })
}

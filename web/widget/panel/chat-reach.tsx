import { createSignal, Show } from 'solid-js'
import { fill } from '../texts/texts.ts'
import { emailFault } from './chat-questions.tsx'
import { useWidget } from './widget-context.ts'

/** "How can we reach you?", for a visitor without a known address who waits. */
export function ChatReach() {
  const { client, texts } = useWidget()
  const [saved, setSaved] = createSignal('')
  const [problem, setProblem] = createSignal('')
  let field!: HTMLInputElement

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    const email = field.value.trim()
    const fault = emailFault(email, texts())
    setProblem(fault ?? '')
    if (fault) return field.focus()
    try {
      await client.saveEmail(email)
      setSaved(email)
    } catch {
      setProblem(texts().notSaved)
    }
  }

  return (
    <Show
      when={!saved()}
      fallback={
        <p class="chat-thread-note chat-panel-soft" role="status">
          {fill(texts().reachDone, { email: saved() })}
        </p>
      }
    >
      <form class="chat-questions" novalidate onSubmit={(event) => void save(event)}>
        <label class="chat-questions-label" for="chat-reach">
          {texts().reach}
        </label>
        <p class="chat-questions-hint chat-panel-soft" id="chat-reach-hint">
          {texts().reachHint}
        </p>
        <div class="chat-questions-row">
          <input
            ref={field}
            id="chat-reach"
            class="chat-questions-field"
            type="email"
            autocomplete="email"
            aria-describedby="chat-reach-hint chat-reach-problem"
            aria-invalid={problem() !== ''}
          />
          <button type="submit" class="chat-panel-action">
            {texts().saveEmail}
          </button>
        </div>
        <p class="chat-questions-problem" id="chat-reach-problem" role="alert">
          {problem()}
        </p>
      </form>
    </Show>
  )
}

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

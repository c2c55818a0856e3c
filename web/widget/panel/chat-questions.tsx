import { createSignal, For, Show, untrack } from 'solid-js'
import type { Texts } from '../texts/en.ts'
import type { Answers } from '../visitor/outbox.ts'
import { useWidget } from './widget-context.ts'

const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/
/** In the names of a widget's own questions, so that they can't be named like the others. */
const FIELD = 'field:'

interface Question {
  key: string
  label: string
  type: string
  isRequired: boolean
}

/** Returns the answers, or nothing if one is missing: then its field has the focus. */
export type CheckAnswers = () => Answers | undefined

/** What is asked before the first message. */
export function ChatQuestions(props: { onReady(check: CheckAnswers): void }) {
  const { client, texts, shell } = useWidget()
  const [typed, setTyped] = createSignal<Record<string, string>>({})
  const [faults, setFaults] = createSignal<Record<string, string>>({})

  /** The website says who its users are, and may tell the name and address of others. */
  function isKnown(key: string): boolean {
    if (key !== 'name' && key !== 'email') return false
    const visitor = client.visitor()
    return Boolean(visitor?.isVerified || visitor?.[key] || client.given()[key])
  }

  function questions(): Question[] {
    const { name, email, fields } = client.settings().questions
    return [
      { key: 'name', label: texts().name, type: 'text', mode: name },
      { key: 'email', label: texts().email, type: 'email', mode: email },
      ...fields.map(({ key, label, isRequired }) => ({
        key: FIELD + key,
        label,
        type: 'text',
        mode: isRequired ? 'required' : 'optional',
      })),
    ]
      .filter(({ key, mode }) => mode !== 'off' && !isKnown(key))
      .map(({ mode, ...question }) => ({ ...question, isRequired: mode === 'required' }))
  }

  function check(): Answers | undefined {
    const found: Record<string, string> = {}
    const answers: Answers = {}
    for (const { key, isRequired } of questions()) {
      const value = (typed()[key] ?? '').trim()
      const fault =
        value === '' ? isRequired && texts().required : key === 'email' && emailFault(value, texts())
      if (fault) found[key] = fault
      else if (value === '') continue
      else if (key === 'name' || key === 'email') answers[key] = value
      else answers.fields = { ...answers.fields, [key.slice(FIELD.length)]: value }
    }
    setFaults(found)
    const [first] = Object.keys(found)
    if (first === undefined) return answers
    shell.root.getElementById(`chat-${first}`)?.focus()
    return undefined
  }
  props.onReady(check)

  return (
    <Show when={questions().length > 0}>
      <div class="chat-questions">
        <For each={questions()}>
          {({ key, label, type, isRequired }) => (
            <div>
              <label class="chat-questions-label" for={`chat-${key}`} dir="auto">
                {label}
                <Show when={!isRequired}>
                  <span class="chat-questions-hint chat-panel-soft"> · {texts().optional}</span>
                </Show>
              </label>
              <input
                id={`chat-${key}`}
                class="chat-questions-field"
                type={type}
                autocomplete={key.startsWith(FIELD) ? 'off' : (key as AutoFill)}
                dir="auto"
                maxlength="255"
                required={isRequired}
                aria-invalid={faults()[key] !== undefined}
                aria-describedby={`chat-${key}-fault`}
                value={untrack(typed)[key] ?? ''}
                onInput={(event) => setTyped({ ...typed(), [key]: event.currentTarget.value })}
              />
              <p class="chat-questions-problem" id={`chat-${key}-fault`} role="alert">
                {faults()[key]}
              </p>
            </div>
          )}
        </For>
      </div>
    </Show>
  )
}

export function emailFault(typed: string, texts: Texts): string | undefined {
  return EMAIL.test(typed) ? undefined : texts.emailInvalid
}

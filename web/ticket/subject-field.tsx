import { createSignal, Show } from 'solid-js'
import { api, ask } from '../api.ts'
import { sentenceOf } from '../problem.ts'
import { queries } from '../queries.ts'
import { toastError } from '../ui/toaster.tsx'
import { patchRows } from './rows.ts'
import { patchTicket, type Ticket } from './ticket-data.ts'

const LONGEST_SUBJECT = 255

/** The subject. A press on it makes it a field; Enter or leaving saves, Escape does not. */
export function SubjectField(props: { ticket: Ticket }) {
  const [isEdited, setEdited] = createSignal(false)
  let button: HTMLButtonElement | undefined
  let isDone = false

  function begin() {
    isDone = false
    setEdited(true)
  }

  function end(subject: string | undefined) {
    if (isDone) return
    isDone = true
    const hadFocus = document.activeElement instanceof HTMLInputElement
    setEdited(false)
    if (hadFocus) button?.focus()
    const next = subject?.trim()
    if (next && next !== props.ticket.subject) void changeSubject(props.ticket, next)
  }

  return (
    <h2 class="subject">
      <Show
        when={isEdited()}
        fallback={
          <button type="button" class="subject-text" title="Edit the subject" ref={button} onClick={begin}>
            {props.ticket.subject}
          </button>
        }
      >
        <input
          class="subject-input"
          aria-label="Subject"
          maxLength={LONGEST_SUBJECT}
          value={props.ticket.subject}
          ref={(input) => queueMicrotask(() => input.select())}
          onBlur={(event) => end(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.isComposing) return
            if (event.key === 'Enter') end(event.currentTarget.value)
            else if (event.key === 'Escape') end(undefined)
            else return
            event.preventDefault()
            event.stopPropagation()
          }}
        />
      </Show>
    </h2>
  )
}

async function changeSubject({ id, subject: before }: Ticket, subject: string): Promise<void> {
  show(id, subject)
  try {
    await ask(api.console.tickets({ id }).patch({ subject }))
  } catch (error) {
    show(id, before)
    toastError(sentenceOf(error))
  }
  void queries.invalidateQueries({ queryKey: ['ticket', id] })
}

function show(id: string, subject: string): void {
  patchTicket(id, (known) => ({ ...known, ticket: { ...known.ticket, subject } }))
  patchRows(id, (row) => ({ ...row, subject }))
}

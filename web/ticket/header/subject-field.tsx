import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { isComposing } from '../../ui/ime.ts'
import { toastError } from '../../ui/toaster.tsx'
import { pushUndo } from '../changes/undo.ts'
import { patchRow } from '../list-cache.ts'
import { patchTicket, readTicketAgain, type Ticket } from '../ticket-query.ts'

const LONGEST_SUBJECT = 255

/** The subject. A press on it makes it a field; Enter or leaving saves, Escape does not. */
export function SubjectField(props: { ticket: Ticket }) {
  /** As it was when somebody began to change it: what arrives meanwhile does not touch the field. */
  const [begun, setBegun] = createSignal<string>()
  let button: HTMLButtonElement | undefined
  let isDone = false

  function begin() {
    isDone = false
    setBegun(props.ticket.subject)
  }

  function end(subject: string | undefined) {
    if (isDone) return
    isDone = true
    const hadFocus = document.activeElement instanceof HTMLInputElement
    const before = begun()
    setBegun(undefined)
    if (hadFocus) button?.focus()
    const next = subject?.trim()
    if (next && next !== before && next !== props.ticket.subject) changeSubject(props.ticket, next)
  }

  return (
    <h1 class="subject">
      <Show
        when={begun() !== undefined}
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
          value={begun()}
          ref={(input) => queueMicrotask(() => input.select())}
          onBlur={(event) => end(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isComposing(event)) return
            if (event.key === 'Enter') end(event.currentTarget.value)
            else if (event.key === 'Escape') end(undefined)
            else return
            event.preventDefault()
            event.stopPropagation()
          }}
        />
      </Show>
    </h1>
  )
}

function changeSubject({ id, subject: before }: Ticket, subject: string): void {
  const done = save(id, { from: before, to: subject })
  pushUndo({
    label: 'Subject changed',
    undo: async () => {
      if (await done) await save(id, { from: subject, to: before })
    },
  })
}

/** On the screen at once, and back again with the reason when the server refuses. */
async function save(id: string, { from, to }: { from: string; to: string }): Promise<boolean> {
  show(id, to)
  try {
    await ask(api.console.tickets({ id }).patch({ subject: to }))
    return true
  } catch (error) {
    show(id, from)
    toastError(`The subject was not changed. ${errorMessage(error)}`)
    return false
  } finally {
    void readTicketAgain(id)
  }
}

function show(id: string, subject: string): void {
  patchTicket(id, (known) => ({ ...known, ticket: { ...known.ticket, subject } }))
  patchRow(id, (row) => ({ ...row, subject }))
}

import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { isComposing } from '../../ui/ime.ts'
import { pushUndo } from '../changes/undo.ts'
import { patchRow } from '../list-cache.ts'
import { patchTicket, type Ticket, tryChange } from '../ticket-query.ts'

const MAX_SUBJECT_LENGTH = 255

/** The subject. A click turns it into a field; Enter or blur saves, Escape cancels. */
export function SubjectField(props: { ticket: Ticket }) {
  /** The subject when editing began. Updates from the server leave the field alone. */
  const [original, setOriginal] = createSignal<string>()
  let button: HTMLButtonElement | undefined
  let isDone = false

  function begin() {
    isDone = false
    setOriginal(props.ticket.subject)
  }

  function end(subject: string | undefined) {
    if (isDone) return
    isDone = true
    const hadFocus = document.activeElement instanceof HTMLInputElement
    const before = original()
    setOriginal(undefined)
    if (hadFocus) button?.focus()
    const next = subject?.trim()
    if (next && next !== before && next !== props.ticket.subject) changeSubject(props.ticket, next)
  }

  return (
    <h1 class="subject-field">
      <Show
        when={original() !== undefined}
        fallback={
          <button
            type="button"
            class="subject-field-text cut"
            title="Edit subject"
            ref={button}
            onClick={begin}
          >
            {props.ticket.subject}
          </button>
        }
      >
        <input
          class="subject-field-input cut"
          aria-label="Subject"
          maxLength={MAX_SUBJECT_LENGTH}
          value={original()}
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

/** Shows the subject at once, and rolls back with the reason if the server refuses. */
async function save(id: string, { from, to }: { from: string; to: string }): Promise<boolean> {
  show(id, to)
  const request = () => ask(api.console.tickets({ id }).patch({ subject: to }))
  const isDone = await tryChange(id, request, "Couldn't change the subject.")
  if (!isDone) show(id, from)
  return isDone
}

function show(id: string, subject: string): void {
  patchTicket(id, (known) => ({ ...known, ticket: { ...known.ticket, subject } }))
  patchRow(id, (row) => ({ ...row, subject }))
}

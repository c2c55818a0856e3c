import { createEffect, createSignal } from 'solid-js'
import { queries } from '../queries.ts'
import { toastError } from '../ui/toaster.tsx'
import type { DraftKeeper } from './draft.ts'
import { addNote, sendReply } from './replies.ts'
import type { SendChoice } from './send-choice.ts'
import { newestByOthers, newestMessage } from './thread-rows.ts'
import type { TicketDetail } from './ticket-data.ts'
import { pushUndo } from './undo.ts'

export type Composing = ReturnType<typeof createComposing>

interface ComposingInput {
  detail: () => TicketDetail
  draft: DraftKeeper
  myId: () => string
  /** Puts the cursor into the field. */
  focus: () => void
  /** Shows this ticket again, from wherever the agent is by then. */
  show: () => void
}

/** Tickets whose reply waits for a decision: they keep asking when they are opened again. */
const [asking, setAsking] = createSignal<ReadonlySet<string>>(new Set())

/** What the composer does: sends, adds notes, and asks when a colleague was faster. */
export function createComposing({ detail, draft, myId, focus, show }: ComposingInput) {
  const ticketId = detail().ticket.id
  const newest = () => newestMessage(detail().timeline)?.id ?? ''
  /** What the agent had before their eyes when they began to write: an answer that comes later is news to them. */
  let seen = newest()
  createEffect(() => {
    if (draft.text().trim() === '') seen = newest()
  })

  function ask(isAsked: boolean) {
    setAsking((before) => {
      const next = new Set(before)
      if (isAsked) next.add(ticketId)
      else next.delete(ticketId)
      return next
    })
  }

  async function send(choice: SendChoice, isForced = false) {
    const { thenStatus } = choice
    const lastMessageId = seen
    const sent = await sendReply({ ticketId, draft, lastMessageId, thenStatus, isForced, onTakenBack: back })
    if (sent !== 'waiting') seen = lastMessageId
    if (sent !== 'answered') return sent
    ask(true)
    await queries.invalidateQueries({ queryKey: ['ticket', ticketId] })
    return sent
  }

  function back() {
    show()
    focus()
  }

  return {
    isAsking: () => asking().has(ticketId),
    /** What a colleague wrote meanwhile. */
    answer: () => newestByOthers(detail().timeline, myId()),
    async submit(choice: SendChoice): Promise<void> {
      if (draft.text().trim() === '') return
      if (draft.kind() === 'note') await addNote(ticketId, draft)
      else await send(choice)
    },
    /** Goes on with the next ticket at once; comes to speak of this one when it was not sent. */
    async submitAndLeave(choice: SendChoice, leave: () => void): Promise<void> {
      if (draft.text().trim() === '') return
      const isNote = draft.kind() === 'note'
      const done = isNote ? addNote(ticketId, draft) : send(choice)
      leave()
      const result = await done
      if (result === 'answered') {
        toastError('A colleague has replied meanwhile, so your reply was not sent.', {
          text: 'Show',
          run: show,
        })
      }
    },
    async sendAnyway(choice: SendChoice) {
      ask(false)
      await send(choice, true)
    },
    edit() {
      seen = newest()
      ask(false)
      focus()
    },
    discard() {
      const text = draft.text()
      ask(false)
      draft.write('')
      draft.flush()
      pushUndo({ label: 'Reply discarded', undo: () => draft.replace(text, 'reply') })
      focus()
    },
  }
}

import { batch, createSignal } from 'solid-js'
import { codeOf, errorMessage } from '../../api/api-problem.ts'
import { toastError } from '../../ui/toaster.tsx'
import { pushUndo } from '../changes/undo.ts'
import { addOutgoing } from '../thread/unsent-messages.ts'
import { readTicketAgain } from '../ticket-query.ts'
import type { DraftKeeper } from './draft-keeper.ts'
import { untilAnswered } from './retry.ts'
import type { DraftKind } from './stored-draft.ts'

interface Written {
  ticketId: string
  kind: DraftKind
  draft: DraftKeeper
  /** The newest id of the thread. */
  after: string
  /** Shows the ticket again, with the text in its field. */
  onTakenBack: () => void
}

/** A browser finishes small requests even when the page is closed. */
const MOST_KEPT_ALIVE = 16_000

/** What goes with each try. */
interface Try {
  headers: { 'idempotency-key': string }
  fetch: { signal: AbortSignal; keepalive: boolean }
}

/** How it went; `answered` is when a colleague was faster, and nothing was sent. */
export type HandedOver = 'taken' | 'taken back' | 'answered' | 'failed'

/**
 * Hands what is in the field to the server, once, however often that has to be tried. Until it has it, it stands in the
 * thread and can be taken back; when the server refuses it, it is in the field again. `show` puts what the server made
 * of it in its place.
 */
export async function handOver<Made>(
  { ticketId, kind, draft, after, onTakenBack }: Written,
  post: (text: string, how: Try) => Promise<Made>,
  show: (made: Made) => void,
): Promise<HandedOver> {
  const text = draft.text()
  const stop = new AbortController()
  const [isWaiting, setWaiting] = createSignal(false)
  const takeAway = addOutgoing({ ticketId, kind, text, after, isWaiting, edit, discard })
  const attempt = await draft.beginSend(after)

  function putBack() {
    batch(() => {
      takeAway()
      draft.putBack(text, attempt)
    })
  }

  function edit() {
    stop.abort()
    putBack()
    onTakenBack()
  }

  function discard() {
    stop.abort()
    takeAway()
    draft.drop()
    const label = kind === 'note' ? 'Note discarded' : 'Reply discarded'
    pushUndo({ label, undo: () => draft.putBack(text, attempt) })
  }

  try {
    const headers = { 'idempotency-key': attempt.key }
    const keepalive = text.length <= MOST_KEPT_ALIVE
    const { answer, isFirstTry } = await untilAnswered(
      (signal) => post(text, { headers, fetch: { signal, keepalive } }),
      {
        signal: stop.signal,
        onWaiting: () => setWaiting(true),
      },
    )
    // An answer that was lost may be long ago: what has become of it since, the thread knows.
    if (!isFirstTry) await readTicketAgain(ticketId)
    batch(() => {
      takeAway()
      if (isFirstTry) show(answer)
      draft.gone(text)
    })
    return 'taken'
  } catch (error) {
    if (stop.signal.aborted) return 'taken back'
    putBack()
    return refused(error, { ticketId, kind, draft })
  }
}

async function refused(
  error: unknown,
  { ticketId, kind, draft }: Pick<Written, 'ticketId' | 'kind' | 'draft'>,
): Promise<HandedOver> {
  const code = codeOf(error)
  if (code === 'answered_meanwhile') return 'answered'
  const what = kind === 'note' ? 'note was not added' : 'reply was not sent'
  if (code !== 'idempotency_mismatch') {
    toastError(`Your ${what}, and its text is kept. ${errorMessage(error)}`)
    return 'failed'
  }
  // One that was sent before has arrived after all. The thread shows it, and what is in the field is another one.
  await readTicketAgain(ticketId)
  if (draft.attempt()) draft.drop()
  toastError('What you sent before has arrived after all. Look at the thread before you send more.')
  return 'failed'
}

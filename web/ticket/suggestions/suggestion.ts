import { createSignal } from 'solid-js'
import { escapeMarkdown } from '../../../server/formatting/plain-text.ts'
import { type Answer, api, ask } from '../../api/api.ts'
import type { WritingField } from '../../formatting/writing-field.ts'
import type { OpenDraft } from '../draft/drafts.ts'
import { type TicketDetail, tryChange } from '../ticket-query.ts'

/** A reply that a program suggests. */
export type Suggestion = NonNullable<TicketDetail['suggestions']>[number]

type Used = Answer<ReturnType<ReturnType<typeof api.console.tickets>['suggestions']>['use']['post']>

/** Those that are gone from the page. The server may still list one that was just dismissed. */
const [dismissed, setDismissed] = createSignal<readonly string[]>([])

export function isDismissed(id: string): boolean {
  return dismissed().includes(id)
}

interface Place {
  draft: OpenDraft
  /** Where the draft is written. Undefined when the agent has left the ticket. */
  field: () => WritingField | undefined
}

/** Puts its text and copies of its files into a draft, below what the agent has written there. */
export async function takeSuggestion(
  ticketId: string,
  { id: suggestionId }: Suggestion,
  { draft, field }: Place,
): Promise<void> {
  let used: Used | undefined
  const request = api.console.tickets({ id: ticketId }).suggestions({ suggestionId }).use
  await tryChange(
    ticketId,
    async () => {
      used = await ask(request.post())
    },
    "Couldn't use the suggestion.",
  )
  if (!used) return
  const { text, format, attachments = [] } = used
  // First: the text may show pictures among them.
  for (const file of attachments) draft.attach({ ...file, addedAt: Date.now() })
  if (text.trim() === '') return
  const written = field()
  if (written) {
    written.append(text, format)
    return
  }
  const before = draft.state().text
  const added = format === 'plain' ? escapeMarkdown(text) : text
  draft.write(before.trim() === '' ? added : `${before}\n\n${added}`)
}

/** Takes it off the page at once. It comes back if that fails. */
export async function dismiss(ticketId: string, { id }: Suggestion, reason: string): Promise<void> {
  setDismissed((ids) => [...ids, id])
  const request = api.console.tickets({ id: ticketId }).suggestions({ suggestionId: id }).dismiss
  const isDone = await tryChange(
    ticketId,
    () => ask(request.post(reason ? { reason } : {})),
    "Couldn't dismiss the suggestion.",
  )
  if (!isDone) setDismissed((ids) => ids.filter((one) => one !== id))
}

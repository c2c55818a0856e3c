import { createSignal } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import { isBlank } from '../draft/draft-content.ts'
import type { OpenDraft } from '../draft/drafts.ts'
import { readTicketAgain, type TicketDetail, tryChange } from '../ticket-query.ts'

/** A reply that a program suggests. */
export type Suggestion = NonNullable<TicketDetail['suggestions']>[number]

/** After this long, the files count as missing. */
const MAX_USE_MS = 20_000
/** Without files, a reply waits no longer for the server to know what it was made from. */
const MAX_HOLD_MS = 5_000
/** So many words of the beginning tell whether a text is still in a reply, and this share of them. */
const COMPARED_WORDS = 40
const MIN_SHARE = 0.5

/** Those that are gone from the page. The server may still list one that was just dismissed. */
const [dismissed, setDismissed] = createSignal<readonly string[]>([])
/** Those that this page has put into a reply. The server may not know yet. */
const [taken, setTaken] = createSignal<readonly string[]>([])

export function isDismissed(id: string): boolean {
  return dismissed().includes(id)
}

/** Whether an agent has put it into their reply, whatever has become of that text. */
export function isUsedBy({ id, usedBy }: Suggestion, me: string): boolean {
  return usedBy.includes(me) || taken().includes(id)
}

/** Whether a reply still has something of its text. */
export function isInReply({ text }: Suggestion, reply: OpenDraft): boolean {
  const content = reply.state()
  if (isBlank(content)) return false
  const words = wordsOf(text).slice(0, COMPARED_WORDS)
  const written = new Set(wordsOf(content.text))
  return words.filter((word) => written.has(word)).length >= words.length * MIN_SHARE
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? []
}

/**
 * Its text is in a reply: lets the server know, and adds copies of its files to that reply, wherever the agent is by then.
 * The reply isn't sent before.
 */
export function takeSuggestion(ticketId: string, suggestion: Suggestion, reply: OpenDraft): void {
  setTaken((ids) => [...ids, suggestion.id])
  const done = use(ticketId, suggestion, reply)
  const isLate = new Promise<true>((resolve) => setTimeout(() => resolve(true), MAX_HOLD_MS))
  void reply.holdSend(suggestion.attachments ? done : Promise.race([done, isLate]))
}

/** Whether the reply has all of it. Without files it has, also when the server doesn't know. */
async function use(ticketId: string, { id, text, attachments }: Suggestion, reply: OpenDraft) {
  const request = api.console.tickets({ id: ticketId }).suggestions({ suggestionId: id }).use
  try {
    const signal = AbortSignal.timeout(MAX_USE_MS)
    const used = await ask(request.post(undefined, { fetch: { keepalive: true, signal } }))
    const files = used.attachments ?? []
    if (files.length > 0 && text.trim() !== '' && isBlank(reply.state())) {
      toast("The files of the suggestion weren't added: your reply is empty by now.")
    } else for (const file of files) reply.attach({ ...file, addedAt: Date.now() })
    return true
  } catch (error) {
    if (attachments) toastError(`Couldn't add the files of the suggestion. ${errorMessage(error)}`)
    return !attachments
  } finally {
    void readTicketAgain(ticketId)
  }
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

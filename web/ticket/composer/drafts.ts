import { type Accessor, createEffect, createSignal, on } from 'solid-js'
import { queries } from '../../api/queries.ts'
import { toast } from '../../ui/toaster.tsx'
import { type TicketDetail, ticketQuery } from '../ticket-query.ts'
import type { DraftKeeper } from './draft-keeper.ts'
import { draftOf } from './draft-registry.ts'
import { hasArrived } from './has-arrived.ts'
import { type DraftKind, unsavedDrafts } from './stored-draft.ts'

/** Both drafts of the agent on one ticket, and which of them is shown. */
export interface Drafts {
  of: Record<DraftKind, DraftKeeper>
  kind: Accessor<DraftKind>
  show: (kind: DraftKind) => void
  shown: Accessor<DraftKeeper>
}

const KINDS: DraftKind[] = ['reply', 'note']

let isResumed = false

/** The ticket opens in what was written last. Each draft is handed what the server has of it whenever that was read. */
export function useDrafts(detail: () => TicketDetail, agentId: string): Drafts {
  const { id } = detail().ticket
  const of = { reply: draftOf(agentId, id, 'reply'), note: draftOf(agentId, id, 'note') }
  function handOver() {
    for (const kind of KINDS) {
      of[kind].arrived(detail().drafts.find((draft) => draft.kind === kind) ?? null)
    }
  }
  of.reply.reopened()
  of.note.reopened()
  handOver()
  createEffect(on(() => detail().drafts, handOver, { defer: true }))
  createEffect(() => {
    for (const kind of KINDS) {
      forgetArrived(of[kind], { kind, agentId, detail: detail() })
    }
  })
  const [kind, show] = createSignal<DraftKind>(writtenLast(of))
  return { of, kind, show, shown: () => of[kind()] }
}

/** Saves what was typed when the page was closed without a connection. Once for each load of the page. */
export function resumeDrafts(agentId: string): void {
  if (isResumed) return
  isResumed = true
  for (const { ticketId, kind } of unsavedDrafts(agentId)) {
    // To ask for a draft that has not been saved is enough: its keeper saves it.
    const draft = draftOf(agentId, ticketId, kind)
    if (draft.attempt()) void lookFor(draft, { ticketId, kind, agentId })
  }
}

/** It was on its way when the page was closed: perhaps it has arrived. When nobody can say, it stays a draft. */
async function lookFor(
  draft: DraftKeeper,
  { ticketId, ...where }: { ticketId: string; kind: DraftKind; agentId: string },
): Promise<void> {
  const detail = await queries.fetchQuery(ticketQuery(ticketId)).catch(() => undefined)
  if (detail) forgetArrived(draft, { ...where, detail })
}

function forgetArrived(draft: DraftKeeper, where: Parameters<typeof hasArrived>[1]): void {
  const attempt = draft.attempt()
  // Whoever sends it still hears of it by the answer.
  const arrived = attempt && !attempt.isOut && hasArrived(attempt, where)
  if (!arrived) return
  // What was changed since keeps its key: the server takes no second version of it without the agent knowing.
  if (!draft.isBlank() && !draft.text().startsWith(arrived)) return
  draft.gone(arrived)
  toast('What you sent before has arrived.')
}

function writtenLast({ reply, note }: Drafts['of']): DraftKind {
  if (note.isBlank()) return 'reply'
  return reply.isBlank() || note.changedAt() > reply.changedAt() ? 'note' : 'reply'
}

import { api, ask } from '../../api/api.ts'
import { ApiProblem, codeOf, isNotFound, UNREADABLE } from '../../api/api-problem.ts'
import { patchRow } from '../list-cache.ts'
import { knownTicket, patchTicket } from '../ticket-query.ts'
import type { DraftKind, StoredDraft } from './stored-draft.ts'

/** What is typed is on the server within half a second. */
const SAVE_AFTER_MS = 350
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 10_000

interface Saving {
  ticketId: string
  kind: DraftKind
  draft: () => StoredDraft
  /** The agent has to choose between two versions first. */
  isHeld: () => boolean
  saved: (text: string, savedAt: string) => void
  /** The server has a newer version, from elsewhere. */
  onChanged: () => void
  onWaiting: (isWaiting: boolean) => void
  /** The ticket is gone. */
  onDeleted: () => void
}

/** Saves a draft on the server: one request at a time, the newest text last, again and again while the server is away. */
export function saveLater({ ticketId, kind, draft, isHeld, saved, onChanged, onWaiting, onDeleted }: Saving) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let underWay: Promise<void> | undefined
  let retryMs = FIRST_RETRY_MS

  function soon(afterMs = SAVE_AFTER_MS) {
    timer ??= setTimeout(() => now(), afterMs)
  }

  function now(isLeaving = false) {
    clearTimeout(timer)
    timer = undefined
    if (!draft().isDirty || isHeld()) return
    if (underWay && !isLeaving) return
    underWay = save(isLeaving).finally(() => {
      underWay = undefined
    })
  }

  async function save(isLeaving: boolean) {
    const { text, base } = draft()
    try {
      const how = { fetch: { keepalive: isLeaving } }
      const { savedAt } = await ask(
        api.console.tickets({ id: ticketId }).draft.put({ kind, text, base }, how),
      )
      retryMs = FIRST_RETRY_MS
      onWaiting(false)
      saved(text, savedAt)
      const isBlank = text.trim() === ''
      const others = (knownTicket(ticketId)?.drafts ?? []).filter((one) => one.kind !== kind)
      const drafts = isBlank ? others : [...others, { kind, text, savedAt }]
      patchTicket(ticketId, (known) => ({ ...known, drafts }))
      patchRow(ticketId, (row) => ({ ...row, hasDraft: drafts.length > 0 }))
    } catch (error) {
      failed(error)
    }
  }

  function failed(error: unknown) {
    if (codeOf(error) === 'draft_changed') return onChanged()
    if (isNotFound(error)) return onDeleted()
    // The text is refused as it is: the same again would be refused again.
    if (
      error instanceof ApiProblem &&
      error.code !== UNREADABLE &&
      error.status >= 400 &&
      error.status < 429
    ) {
      return
    }
    onWaiting(true)
    soon(retryMs)
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
  }

  return {
    soon,
    now,
    /** The server may be reached again. */
    again() {
      retryMs = FIRST_RETRY_MS
      now()
    },
    /** Lets nothing older arrive behind what is sent next. */
    async settle() {
      clearTimeout(timer)
      timer = undefined
      await underWay
    },
  }
}

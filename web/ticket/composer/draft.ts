import { createSignal } from 'solid-js'
import { toast } from '../../ui/toaster.tsx'
import { type Draft, readDraft } from '../ticket-query.ts'
import type { DraftKeeper } from './draft-keeper.ts'
import { saveLater } from './draft-saving.ts'
import { sendingOf } from './draft-sending.ts'
import { offerLost } from './lost-draft.ts'
import { meet } from './reconcile-draft.ts'
import {
  type Attempt,
  type DraftKind,
  forgetStored,
  landed,
  readStored,
  type StoredDraft,
  writeStored,
} from './stored-draft.ts'

/** Whoever has typed nothing for so long is not in the middle of a word. */
const STILL_TYPING_MS = 2_000

export const NOTHING: StoredDraft = { text: '', changedAt: 0, base: null, isDirty: false, attempt: null }

/** What is heard once for all keepers: of the other tabs of this browser, the end of the page, and the connection. */
export interface TabKeeper extends DraftKeeper {
  heardOfOtherTab(theirs: StoredDraft): void
  /** The page ends: whoever opens the ticket next, in another tab perhaps, finds what was on its way. */
  leaves(): void
  /** The server may be reached again. */
  saveAgain(): void
  /** The ticket is deleted for ever: nothing of it stays in this browser. */
  forget(): void
}

/** Keeps one draft: shows it, saves it, and brings together what is written elsewhere. Once in a tab: see `draftOf`. */
export function createKeeper(key: string, ticketId: string, kind: DraftKind): TabKeeper {
  const [draft, setDraft] = createSignal<StoredDraft>(readStored(key) ?? NOTHING)
  const [other, setOther] = createSignal<StoredDraft>()
  const [isWaiting, setWaiting] = createSignal(false)
  /** Typed in this tab since the page was loaded. */
  let isTyped = false
  let typedAt = Number.NEGATIVE_INFINITY
  /** Shown since the ticket was opened: what vanishes from before somebody's eyes is spoken of. */
  let isShown = false
  let isForgotten = false
  /** What the server gave back to this tab. */
  const known = new Set<string>()
  const saving = saveLater({
    ticketId,
    kind,
    draft,
    isHeld: isUndecided,
    saved,
    onChanged: changedElsewhere,
    // An answer may come late: what has been sent since waits no more.
    onWaiting: (isLate) => setWaiting(isLate && draft().isDirty),
    onDeleted: () => offerLost(ticketId, draft().text, forget),
  })

  const sending = sendingOf({ draft, keep, change, take, saving })

  function keep(next: StoredDraft) {
    setDraft(next)
    if (!next.isDirty) setWaiting(false)
    if (!isForgotten) writeStored(key, next)
  }

  function change(next: Partial<StoredDraft>) {
    isTyped = true
    keep({ ...draft(), ...next, changedAt: Date.now(), isDirty: true })
    saving.soon()
  }

  /** The server has one version; what was typed since goes next. */
  function saved(text: string, savedAt: string) {
    const isNewest = draft().text === text
    const isOut = draft().attempt?.isOut && !isNewest
    keep({ ...draft(), base: savedAt, isDirty: !isOut && !isNewest })
    if (draft().isDirty) saving.soon()
  }

  function take(next: StoredDraft) {
    setOther(undefined)
    keep(next)
  }

  /** A newer version of the server is offered: until the agent has chosen, nothing is written over it. */
  function isUndecided() {
    return (other()?.base ?? '') > (draft().base ?? '')
  }

  function arrived(server: Draft | null) {
    const mine = draft()
    if (mine.attempt?.isOut) return
    if (!server && isUndecided()) setOther(undefined)
    const theirs = server ? fromServer(server, mine.attempt) : NOTHING
    const wasShown = isShown
    isShown = true
    const meeting = meet(mine, server, { isTyped, known })
    if (meeting === 'sent') return void lookWhetherSent(wasShown)
    if (meeting === 'take') take(theirs)
    else if (meeting === 'follow') keep({ ...mine, base: theirs.base })
    else if (meeting === 'offer') setOther(theirs)
    else if (meeting === 'give way') {
      take(theirs)
      setOther(mine)
    }
    if (draft().isDirty) saving.soon()
  }

  /** What was read may be older than what was saved: only what is read now says that it was sent elsewhere. */
  async function lookWhetherSent(isSaid: boolean) {
    const mine = draft()
    const server = await readDraft(ticketId, kind)
    if (server === undefined || draft() !== mine) return
    if (server !== null) return arrived(server)
    if (isSaid) toast('What you had begun here was sent or emptied elsewhere.')
    isTyped = false
    take(NOTHING)
  }

  async function changedElsewhere() {
    const server = await readDraft(ticketId, kind)
    if (server !== undefined) arrived(server)
  }

  function heardOfOtherTab(theirs: StoredDraft) {
    if (sending.isSending()) return
    const mine = draft()
    const isTyping = document.hasFocus() && performance.now() - typedAt < STILL_TYPING_MS
    const isUnsaved = mine.isDirty && !theirs.text.includes(mine.text)
    const isAtWork = isTyped && mine.text.trim() !== '' && (isTyping || isUnsaved)
    if (theirs.text === mine.text || isAtWork) {
      setDraft({ ...mine, attempt: theirs.attempt })
      if (theirs.text !== mine.text && theirs.text.trim() !== '') setOther(theirs)
      return
    }
    isTyped = false
    setDraft(theirs)
    if (!isUndecided()) setOther(undefined)
  }

  function forget() {
    isForgotten = true
    keep(NOTHING)
    forgetStored(key)
  }

  if (draft().isDirty) saving.soon()

  return {
    text: () => draft().text,
    isBlank: () => draft().text.trim() === '',
    base: () => draft().base,
    changedAt: () => draft().changedAt,
    isWaiting,
    other,
    attempt: () => draft().attempt,
    write(text) {
      isForgotten = false
      typedAt = performance.now()
      change({ text })
    },
    takeOther() {
      const chosen = other()
      if (!chosen) return
      setOther(undefined)
      change({ text: chosen.text, base: chosen.base })
    },
    dropOther() {
      const isKept = isUndecided()
      const base = other()?.base ?? null
      setOther(undefined)
      if (isKept) change({ base })
    },
    takeBack(text) {
      known.add(text)
      change({ text })
    },
    reopened() {
      isShown = false
      if (!draft().isDirty) isTyped = false
    },
    arrived,
    flush: saving.now,
    async settle() {
      saving.now()
      await saving.settle()
    },
    beginSend: sending.begin,
    gone: sending.gone,
    putBack: sending.putBack,
    drop: sending.drop,
    heardOfOtherTab,
    forget,
    leaves() {
      if (isForgotten) return
      if (sending.isSending()) writeStored(key, landed(draft()))
      saving.now(true)
    },
    saveAgain: saving.again,
  }
}

function fromServer({ text, savedAt }: Draft, attempt: Attempt | null): StoredDraft {
  return { text, base: savedAt, changedAt: Date.parse(savedAt), isDirty: false, attempt }
}

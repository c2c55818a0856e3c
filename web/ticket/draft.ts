import { type Accessor, createSignal } from 'solid-js'
import { saveLater } from './draft-saving.ts'
import {
  type DraftKind,
  parseStored,
  readStored,
  type StoredDraft,
  storageKey,
  writeStored,
} from './stored-draft.ts'
import type { Draft } from './ticket-data.ts'

/** What an agent has begun to write on a ticket. */
export interface DraftKeeper {
  text: Accessor<string>
  kind: Accessor<DraftKind>
  /** Not saved on the server for a while: it is kept here and sent as soon as that works. */
  isWaiting: Accessor<boolean>
  /** Another version, from another tab or device, that is not shown because this one was being written. */
  other: Accessor<StoredDraft | undefined>
  write(text: string): void
  setKind(kind: DraftKind): void
  /** Puts a text that was refused in front of what has been written since. */
  putBack(text: string, kind: DraftKind): void
  /** The draft is that now: a reply was taken back. */
  replace(text: string, kind: DraftKind): void
  takeOther(): void
  dropOther(): void
  /** The ticket is opened again: what was saved may have been changed elsewhere since. */
  reopened(): void
  /** What the server has, each time the ticket was read. */
  arrived(server: Draft | null): void
  /** Saves at once: the field was left, or the page is going. */
  flush(isLeaving?: boolean): void
  /** Empties the field for something that is on its way. The copy in this browser stays until `gone`. */
  beginSend(): Promise<void>
  gone(kind: DraftKind): void
  /** Waits until the server has all that was written, or cannot be reached. */
  settle(): Promise<void>
}

const NOTHING: StoredDraft = { kind: 'reply', text: '', changedAt: 0, base: null, isDirty: false }

const keepers = new Map<string, DraftKeeper>()

/** The one keeper of a draft in this tab: it goes on saving when the ticket is left. */
export function draftOf(agentId: string, ticketId: string): DraftKeeper {
  const key = storageKey(agentId, ticketId)
  const keeper = keepers.get(key) ?? createKeeper(key, ticketId)
  keepers.set(key, keeper)
  return keeper
}

function createKeeper(key: string, ticketId: string): DraftKeeper {
  const [draft, setDraft] = createSignal<StoredDraft>(readStored(key) ?? NOTHING)
  const [other, setOther] = createSignal<StoredDraft>()
  const [isWaiting, setWaiting] = createSignal(false)
  /** Typed in this tab since the page was loaded. */
  let isTyped = false
  let isOnItsWay = false
  let savedKind: DraftKind | undefined
  const saving = saveLater({ ticketId, draft, saved, onWaiting: setWaiting })

  function keep(next: StoredDraft) {
    setDraft(next)
    writeStored(key, next)
  }

  function change(next: { text?: string; kind?: DraftKind }) {
    isTyped = true
    keep({ ...draft(), ...next, changedAt: Date.now(), isDirty: true })
    saving.soon()
  }

  /** The server has one version; what was typed since goes next. */
  function saved(version: StoredDraft, savedAt: string) {
    savedKind = version.kind
    if (isOnItsWay) return
    const isNewest = draft().text === version.text && draft().kind === version.kind
    keep({ ...draft(), base: savedAt, isDirty: !isNewest })
    if (!isNewest) saving.soon()
  }

  function take(next: StoredDraft) {
    setOther(undefined)
    keep(next)
  }

  function arrived(server: Draft | null) {
    const mine = draft()
    const theirs: StoredDraft = server
      ? {
          kind: server.kind,
          text: server.text,
          base: server.savedAt,
          changedAt: Date.parse(server.savedAt),
          isDirty: false,
        }
      : NOTHING
    if (!mine.isDirty && !isTyped) return take(theirs)
    const isNews = server !== null && (mine.base === null || server.savedAt > mine.base)
    if (mine.isDirty) saving.soon()
    if (!isNews || server.text === mine.text) return
    if (isTyped || mine.changedAt >= theirs.changedAt) return void setOther(theirs)
    take(theirs)
    setOther(mine)
  }

  window.addEventListener('storage', (event) => {
    if (event.key !== key) return
    const theirs = parseStored(event.newValue) ?? NOTHING
    if (theirs.text === draft().text) return
    const isAtWork = isTyped && document.hasFocus() && draft().text.trim() !== ''
    if (isAtWork) return void (theirs.text.trim() && setOther(theirs))
    isTyped = false
    setDraft(theirs)
  })

  if (draft().isDirty) saving.soon()

  return {
    text: () => draft().text,
    kind: () => draft().kind,
    isWaiting,
    other,
    write: (text) => change({ text }),
    setKind: (kind) => (draft().text ? change({ kind }) : setDraft({ ...draft(), kind })),
    putBack(text, kind) {
      isOnItsWay = false
      const since = draft().text.trim() && draft().text !== text ? `\n\n${draft().text}` : ''
      change({ text: text + since, kind })
    },
    takeOther() {
      const chosen = other()
      if (!chosen) return
      take({ ...chosen, changedAt: Date.now(), isDirty: true })
      saving.soon()
    },
    dropOther: () => setOther(undefined),
    reopened() {
      if (!draft().isDirty) isTyped = false
    },
    arrived,
    flush: saving.now,
    async beginSend() {
      isOnItsWay = true
      setDraft({ ...draft(), text: '', isDirty: false })
      await saving.settle()
    },
    gone(kind) {
      isOnItsWay = false
      setOther(undefined)
      // The server forgets the draft of what it has taken. One that was saved as the other kind stays unless it is told.
      const isLeft = savedKind !== undefined && savedKind !== kind
      savedKind = undefined
      keep({ ...draft(), base: null, isDirty: isLeft || draft().text !== '' })
      if (draft().isDirty) saving.soon()
    },
    replace: (text, kind) => change({ text, kind }),
    async settle() {
      saving.now()
      await saving.settle()
    },
  }
}

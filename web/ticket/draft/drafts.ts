import { type Accessor, batch, createSignal, untrack } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { ApiProblem, codeOf, errorMessage, isNotFound, UNREADABLE } from '../../api/api-problem.ts'
import { createId } from '../../api/create-id.ts'
import { queries } from '../../api/queries.ts'
import { toServerTime } from '../../api/server-clock.ts'
import { onConnectionBack } from '../../live/live.ts'
import { copyText } from '../../ui/copy-button.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { loadAttachmentList } from '../attachments/attachments.tsx'
import { goneFiles, goneFilesMessage } from '../attachments/gone-files.ts'
import type { AttachmentLimits, UploadQueue } from '../attachments/upload-queue.ts'
import { putNote, putReply, type SentMessage } from '../composer/send-with-undo.ts'
import { patchRow } from '../list-cache.ts'
import type { Recipients } from '../recipients/address-list.ts'
import {
  type Draft,
  knownTicket,
  type MessageEntry,
  patchTicket,
  readNewest,
  readTicketAgain,
  type TicketDetail,
  type TicketStatus,
  ticketQuery,
} from '../ticket-query.ts'
import { contentIn, type DraftContent, isBlank, isSameContent } from './draft-content.ts'
import {
  type DraftEffect,
  type DraftEvent,
  type DraftKind,
  type DraftState,
  EMPTY_DRAFT,
  openDraft,
  type Sending,
} from './draft-state.ts'
import {
  parseStoredDraft,
  readStoredDraft,
  removeStoredDraft,
  storageKey,
  unsavedDrafts,
  writeStoredDraft,
} from './draft-storage.ts'
import { reduceDraft } from './reduce-draft.ts'

const MAX_SAVE_MS = 20_000
const MAX_QUOTED = 120

const NOTICES = {
  'emptied elsewhere': 'This draft was sent or cleared in another tab.',
  'earlier one sent': 'Your earlier message was sent after all.',
}

/** One draft of an agent in this tab: its state and its actions. */
export interface OpenDraft {
  state: Accessor<DraftState>
  /** Files that are not attached yet. Undefined before the first one. */
  uploads: Accessor<UploadQueue | undefined>
  /** Uploads files and attaches them. */
  addFiles: (files: File[], limits: AttachmentLimits) => Promise<void>
  dispatch: (event: DraftEvent) => void
  /** Removes the text from the field and sends it once. Calls `onAccepted` with the id when the server has it. */
  send: (reply: {
    after: string
    status?: TicketStatus | undefined
    /** For an email: the recipients that the agent sees. */
    sentTo?: Recipients | undefined
    /** How long it can be undone before the server sends it. */
    undoMs?: number
    onAccepted?: (id: string) => void
  }) => void
  /** Waits until the server has all of the text, or can't be reached. */
  settle: () => Promise<void>
}

interface DraftPlace {
  agentId: string
  ticketId: string
  kind: DraftKind
}

const drafts = new Map<string, OpenDraft>()
let isResumed = false

window.addEventListener('storage', ({ key, newValue }) => {
  const draft = parseStoredDraft(newValue) ?? EMPTY_DRAFT
  const hasFocus = document.hasFocus()
  drafts.get(key ?? '')?.dispatch({ type: 'other tab wrote', draft, hasFocus, now: Date.now() })
})
window.addEventListener('pagehide', () => dispatchToAll({ type: 'page closing' }))
onConnectionBack(() => dispatchToAll({ type: 'connection back' }))

/** The draft of that kind on a ticket. It keeps saving and sending after the agent leaves the ticket. */
export function draftOf(agentId: string, ticketId: string, kind: DraftKind): OpenDraft {
  const key = storageKey(agentId, ticketId, kind)
  const draft = drafts.get(key) ?? createDraft(key, { agentId, ticketId, kind })
  drafts.set(key, draft)
  return draft
}

/** Deletes the drafts of a deleted ticket. */
export function forgetDrafts(agentId: string, ticketId: string): void {
  for (const kind of ['reply', 'note'] as const) {
    const key = storageKey(agentId, ticketId, kind)
    drafts.get(key)?.uploads()?.cancelAll()
    drafts.get(key)?.dispatch({ type: 'forgotten' })
    drafts.delete(key)
    removeStoredDraft(key)
  }
}

/** Saves drafts from a page that was closed while offline, except what was sent. Runs once per page load. */
export function resumeDrafts(agentId: string): void {
  if (isResumed) return
  isResumed = true
  for (const { ticketId, kind } of unsavedDrafts(agentId)) {
    const draft = draftOf(agentId, ticketId, kind)
    if (draft.state().sending) void lookForSent(draft, { agentId, ticketId, kind })
    else draft.dispatch({ type: 'save due' })
  }
}

/** Passes what was read of a ticket to its drafts. */
export function readFromTicket(draft: OpenDraft, kind: DraftKind, detail: TicketDetail): void {
  const { sending } = untrack(draft.state)
  const hasSent = sending !== null && isInThread(detail, sending)
  const saved = detail.drafts.find((one) => one.kind === kind) ?? null
  draft.dispatch({ type: 'server copy read', draft: saved, hasSent })
}

/** After Edit, the message with this id may still be the earlier version. */
function isInThread({ timeline, waiting }: TicketDetail, sending: Sending): boolean {
  const sent = [...timeline, ...waiting].find(({ id }) => id === sending.id)
  if (!sent || !('text' in sent)) return false
  if (!sending.isChanged) return true
  const { text, attachments = [] } = sent
  const recipients = 'recipients' in sent ? sent.recipients : undefined
  return isSameContent({ text, attachments, recipients }, { ...sending, recipients: sending.sentTo })
}

/** Resolves a text that was being sent when the page closed. If the server can't tell, it stays a draft. */
async function lookForSent(draft: OpenDraft, { ticketId, kind }: DraftPlace): Promise<void> {
  const detail = await queries.fetchQuery(ticketQuery(ticketId)).catch(() => undefined)
  if (detail) readFromTicket(draft, kind, detail)
  // Not earlier: a draft of a sent reply on the server would be offered again.
  draft.dispatch({ type: 'save due' })
}

function dispatchToAll(event: DraftEvent): void {
  for (const draft of drafts.values()) draft.dispatch(event)
}

/** Holds the state of a draft and runs the effects of `reduceDraft`. */
function createDraft(key: string, place: DraftPlace): OpenDraft {
  const { ticketId, kind } = place
  const [state, setState] = createSignal(openDraft(readStoredDraft(key) ?? EMPTY_DRAFT))
  let saveTimer: ReturnType<typeof setTimeout> | undefined
  let saving: Promise<void> = Promise.resolve()
  let sending = new AbortController()
  let onAccepted: ((id: string) => void) | undefined
  const [uploads, setUploads] = createSignal<UploadQueue>()

  function dispatch(event: DraftEvent): void {
    untrack(() => {
      const step = reduceDraft(state(), event)
      batch(() => {
        setState(step.state)
        for (const effect of step.effects) run(effect)
      })
    })
  }

  function run(effect: DraftEffect): void {
    switch (effect.type) {
      case 'store':
        writeStoredDraft(key, effect.draft)
        break
      case 'forget':
        removeStoredDraft(key)
        break
      case 'save later':
        saveTimer ??= setTimeout(saveNow, effect.ms)
        break
      case 'save':
        clearTimeout(saveTimer)
        saveTimer = undefined
        saving = save(effect)
        break
      case 'read':
        void readAgain(effect.isAnnounced)
        break
      case 'send':
        void send(effect.sending)
        break
      case 'stop sending':
        sending.abort()
        break
      case 'accepted':
        sending.abort()
        onAccepted?.(effect.id)
        break
      case 'notify':
        notify(effect.notice)
        break
      case 'report gone files':
        toastError(goneFilesMessage(effect.names))
        break
      case 'offer lost text':
        offerLostText(effect.text)
    }
  }

  function saveNow(): void {
    saveTimer = undefined
    dispatch({ type: 'save due' })
  }

  async function save({ base, isClosing, ...draft }: Extract<DraftEffect, { type: 'save' }>) {
    const content = contentIn(draft)
    const { text, attachments, recipients = null } = content
    try {
      const signal = AbortSignal.timeout(MAX_SAVE_MS)
      const how = { fetch: { keepalive: isClosing, signal } }
      const body = { kind, text, attachments: attachments.map(({ id }) => id), recipients, base }
      const { savedAt } = await ask(api.console.tickets({ id: ticketId }).draft.put(body, how))
      dispatch({ type: 'saved', ...content, savedAt })
      showSaved({ kind, ...content, savedAt })
    } catch (error) {
      const gone = goneFiles(error, attachments)
      if (gone) dispatch({ type: 'save failed', reason: 'files gone', ids: gone })
      else dispatch({ type: 'save failed', reason: reasonOf(error) })
    }
  }

  function showSaved(draft: DraftContent & Pick<Draft, 'kind' | 'savedAt'>): void {
    const others = (knownTicket(ticketId)?.drafts ?? []).filter((one) => one.kind !== kind)
    const all = isBlank(draft) ? others : [...others, draft]
    patchTicket(ticketId, (known) => ({ ...known, drafts: all }))
    patchRow(ticketId, (row) => ({ ...row, hasDraft: all.length > 0 }))
  }

  async function readAgain(isAnnounced: boolean): Promise<void> {
    const detail = await readNewest(ticketId)
    if (!detail) return
    const { sending } = untrack(state)
    const hasSent = sending !== null && isInThread(detail, sending)
    const draft = detail.drafts.find((one) => one.kind === kind) ?? null
    dispatch({ type: 'server copy read', draft, hasSent, isFresh: true, isAnnounced })
  }

  async function send(message: Sending): Promise<void> {
    const attempt = new AbortController()
    sending = attempt
    const trying = { signal: attempt.signal, onDelayed: () => dispatch({ type: 'send delayed' }) }
    try {
      if (kind === 'note') {
        const note = await putNote(ticketId, message, trying)
        batch(() => {
          showNote(note)
          dispatch({ type: 'sent' })
        })
      } else {
        const sent = await putReply(ticketId, message, trying)
        batch(() => {
          showReply(message, sent)
          dispatch({ type: 'sent' })
        })
      }
    } catch (error) {
      if (!attempt.signal.aborted) refused(error)
    }
  }

  function refused(error: unknown): void {
    const code = codeOf(error)
    const isTaken = code === 'message_id_taken' || code === 'note_id_taken'
    dispatch({ type: 'send refused', reason: isTaken ? 'id taken' : 'other', now: Date.now() })
    if (isTaken) {
      void readTicketAgain(ticketId)
      return
    }
    const what = kind === 'note' ? "Your note wasn't added." : "Your reply wasn't sent."
    toastError(`${what} The text is in your draft. ${errorMessage(error)}`)
  }

  function showNote(note: TicketDetail['timeline'][number]): void {
    patchTicket(ticketId, (known) => ({
      ...known,
      drafts: known.drafts.filter((one) => one.kind !== 'note'),
      timeline: [...known.timeline.filter(({ id }) => id !== note.id), note],
    }))
  }

  function showReply(
    { id, text, attachments, status, sentTo }: Sending,
    { agentName = '', delivery, createdAt }: SentMessage,
  ): void {
    const isHeld = delivery?.state === 'held'
    if (delivery?.sendAt === undefined || isHeld) void readTicketAgain(ticketId)
    if (delivery?.sendAt === undefined) {
      showSent({
        kind: 'message',
        id,
        role: 'agent',
        text,
        format: 'markdown',
        ...(attachments.length > 0 && { attachments }),
        agentId: place.agentId,
        agentName,
        sending: delivery?.state === 'sent' ? 'sent' : 'queued',
        createdAt,
      })
      return
    }
    const waiting = {
      id,
      text,
      ...(attachments.length > 0 && { attachments }),
      ...(sentTo && { recipients: sentTo }),
      format: 'markdown' as const,
      agentId: place.agentId,
      agentName,
      sendAt: delivery.sendAt,
      isHeld,
      ...(status && { thenStatus: status }),
      ...(isHeld && { heldBecause: 'answered' as const }),
    }
    patchTicket(ticketId, (known) => ({
      ...known,
      drafts: known.drafts.filter((one) => one.kind !== 'reply'),
      waiting: [...known.waiting.filter((one) => one.id !== id), waiting],
    }))
  }

  /** Until the thread is read again. */
  function showSent(message: MessageEntry): void {
    patchTicket(ticketId, (known) => ({
      ...known,
      drafts: known.drafts.filter((one) => one.kind !== 'reply'),
      timeline: known.timeline.some(({ id }) => id === message.id)
        ? known.timeline
        : [...known.timeline, message],
    }))
  }

  async function openUploads(): Promise<UploadQueue> {
    const known = untrack(uploads)
    if (known) return known
    const { createUploadQueue } = await import('../attachments/upload-queue.ts')
    const queue = createUploadQueue({
      attachedCount: () => untrack(state).attachments.length,
      onUploaded: (file) => dispatch({ type: 'file attached', file, now: Date.now() }),
      onEnded: (isComplete) => dispatch({ type: 'uploads ended', isComplete, now: Date.now() }),
    })
    // Another call may have loaded it meanwhile.
    return untrack(uploads) ?? setUploads(queue)
  }

  function notify(notice: Extract<DraftEffect, { type: 'notify' }>['notice']): void {
    if (notice === 'earlier one differs') {
      toastError(`Your earlier ${kind} was sent after all. Check the ticket before you send again.`)
    } else if (notice === 'upload failed') {
      const what = kind === 'note' ? "Your note wasn't added" : "Your reply wasn't sent"
      toastError(`${what}, because a file couldn't be uploaded. Everything is in your draft.`)
    } else toast(NOTICES[notice])
  }

  /** The ticket was deleted before its draft was saved. An open ticket offers the text itself. */
  function offerLostText(text: string): void {
    if (location.pathname.endsWith(`/${ticketId}`)) return
    dispatch({ type: 'forgotten' })
    if (text.trim() === '') return
    const quote = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
    toastError(`A ticket you were writing on was deleted. Your text: “${quote}”`, {
      text: 'Copy',
      run: () => void copyText(text),
    })
  }

  return {
    state,
    uploads,
    dispatch,
    send({ after, status, sentTo, undoMs, onAccepted: listener }) {
      onAccepted = listener
      const now = Date.now()
      const id = createId(kind === 'note' ? 'not' : 'msg', toServerTime(now))
      const isUploading = untrack(() => uploads()?.isBusy() ?? false)
      dispatch({ type: 'send pressed', id, after, status, sentTo, undoMs, isUploading, now })
    },
    async addFiles(files, limits) {
      try {
        const queue = await openUploads()
        queue.add(files, limits)
        await loadAttachmentList()
      } catch {
        toastError("Couldn't attach the files. Check your connection, or reload the page.")
      }
    },
    async settle() {
      dispatch({ type: 'save due' })
      await saving
    },
  }
}

function reasonOf(error: unknown): 'changed elsewhere' | 'ticket deleted' | 'unreachable' | 'refused' {
  if (codeOf(error) === 'draft_changed') return 'changed elsewhere'
  if (isNotFound(error)) return 'ticket deleted'
  if (!(error instanceof ApiProblem) || error.code === UNREADABLE) return 'unreachable'
  return error.status >= 400 && error.status < 429 ? 'refused' : 'unreachable'
}

import { type Accessor, batch, createSignal, untrack } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { ApiProblem, codeOf, errorMessage, isNotFound, UNREADABLE } from '../../api/api-problem.ts'
import { createId } from '../../api/create-id.ts'
import { queries } from '../../api/queries.ts'
import { toServerTime } from '../../api/server-clock.ts'
import { removeStored } from '../../browser/local-storage.ts'
import { onConnectionBack } from '../../live/live.ts'
import { copyText } from '../../ui/copy-button.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { goneFiles, goneFilesMessage } from '../attachments/attachment-type.ts'
import { loadAttachmentList } from '../attachments/attachments.tsx'
import type { AttachmentLimits, UploadQueue } from '../attachments/upload-queue.ts'
import { type Actions, actionsWith } from '../changes/actions.ts'
import { putNote, putReply } from '../composer/send-with-undo.ts'
import { isSameRecipients, type Recipients } from '../recipients/address-list.ts'
import { type Draft, readNewest, readTicketAgain, type TicketDetail, ticketQuery } from '../ticket-query.ts'
import {
  contains,
  contentIn,
  type DraftAttachment,
  type DraftContent,
  hasFilesOf,
  isBlank,
  isSameContent,
  joined,
  withFile,
  without,
  withoutFile,
} from './draft-content.ts'
import {
  type DraftKind,
  EMPTY_DRAFT,
  isUnsaved,
  parseStoredDraft,
  readStoredDraft,
  returned,
  type Sending,
  type SendRequest,
  type StoredDraft,
  storageKey,
  unsavedDrafts,
  withUnconfirmedText,
  writeStoredDraft,
} from './draft-storage.ts'
import { isInThread, showNote, showReply, showSavedDraft } from './show-sent.ts'

/** Typed text is saved on the server within half a second. */
const SAVE_AFTER_MS = 350
const MAX_SAVE_MS = 20_000
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 10_000
/** The server accepts ids created within a day. No request runs this long, so a new id is safe. */
const ID_USABLE_MS = 12 * 60 * 60_000
const MAX_QUOTED = 120
/** Before those of a version that may have none. */
const NO_CHOICES = { recipients: undefined, actions: undefined, sendAt: undefined }

interface DraftState extends StoredDraft {
  /** The version that a newer one has replaced, here or on the server. The agent can restore it. */
  other: DraftContent | null
  /** Whether this tab is sending it. Other tabs only see that it is being sent. */
  isSender: boolean
  /** The last request didn't reach the server. */
  isSendLate: boolean
  /** The last save failed and will be retried. */
  isSaveLate: boolean
  /** Send was pressed during an upload: it is sent when all files are uploaded. */
  sendsAfterUploads: SendRequest | null
}

interface DraftPlace {
  agentId: string
  ticketId: string
  kind: DraftKind
}

const drafts = new Map<string, OpenDraft>()
let isResumed = false

window.addEventListener('storage', ({ key, newValue }) => {
  drafts.get(key ?? '')?.meetOtherTab(parseStoredDraft(newValue))
})
window.addEventListener('pagehide', () => {
  for (const draft of drafts.values()) draft.close()
})
onConnectionBack(() => {
  for (const draft of drafts.values()) draft.retrySave()
})

/** The draft of that kind on a ticket. It keeps saving and sending after the agent leaves the ticket. */
export function draftOf(agentId: string, ticketId: string, kind: DraftKind): OpenDraft {
  const key = storageKey(agentId, ticketId, kind)
  const draft = drafts.get(key) ?? new OpenDraft(key, { agentId, ticketId, kind })
  drafts.set(key, draft)
  return draft
}

/** Deletes the drafts of a deleted ticket. */
export function forgetDrafts(agentId: string, ticketId: string): void {
  for (const kind of ['reply', 'note'] as const) {
    const key = storageKey(agentId, ticketId, kind)
    drafts.get(key)?.forget()
    drafts.delete(key)
    removeStored(key)
  }
}

/** Saves drafts from a page that was closed while offline, except what was sent. Runs once per page load. */
export function resumeDrafts(agentId: string): void {
  if (isResumed) return
  isResumed = true
  for (const { ticketId, kind } of unsavedDrafts(agentId)) void draftOf(agentId, ticketId, kind).resume()
}

/**
 * One draft of an agent in this tab. The browser stores each change, and the server has a copy half a second later. The newest
 * version wins, whichever tab or device it is from; the one it has replaced can be restored.
 */
export class OpenDraft {
  readonly state: Accessor<DraftState>
  /** Files that are not attached yet. Undefined before the first one. */
  readonly uploads: Accessor<UploadQueue | undefined>
  readonly #setState: (state: DraftState) => void
  readonly #setUploads: (queue: UploadQueue) => UploadQueue
  readonly #key: string
  readonly #place: DraftPlace
  #saveTimer: ReturnType<typeof setTimeout> | undefined
  #saving: Promise<void> | undefined
  #retryMs = FIRST_RETRY_MS
  #request = new AbortController()
  #onAccepted: ((id: string) => void) | undefined
  /** Compared with the server's copy since the ticket was opened. */
  #isCompared = false
  /** The server has no copy anymore, whatever a late answer says. The next page offers the text. */
  #isTicketDeleted = false
  /** Nothing is stored until the agent types. */
  #isForgotten = false
  /** How much keeps it from being sent, beside uploads. */
  #holds = 0

  constructor(key: string, place: DraftPlace) {
    const [state, setState] = createSignal<DraftState>({
      ...(readStoredDraft(key) ?? EMPTY_DRAFT),
      other: null,
      isSender: false,
      isSendLate: false,
      isSaveLate: false,
      sendsAfterUploads: null,
    })
    const [uploads, setUploads] = createSignal<UploadQueue>()
    this.state = state
    this.uploads = uploads
    this.#setState = setState
    this.#setUploads = setUploads
    this.#key = key
    this.#place = place
  }

  get #now(): DraftState {
    return untrack(this.state)
  }

  // Writing

  write(text: string): void {
    this.#isForgotten = false
    this.#change({ text })
  }

  /** Undefined for the recipients that the ticket suggests. */
  changeRecipients(recipients: Recipients | undefined): void {
    this.#change({ recipients })
  }

  /** Undefined for nothing. */
  changeActions(actions: Actions | undefined): void {
    this.#change({ actions })
  }

  /** Undefined for when Send is pressed. */
  changeSendAt(sendAt: string | undefined): void {
    this.#change({ sendAt })
  }

  /** Puts an uploaded file at its place among the others, or one that was removed back there. */
  attach(file: DraftAttachment): void {
    this.#isForgotten = false
    this.#change({ attachments: withFile(this.#now.attachments, file) })
  }

  removeFile(id: string): void {
    this.#change(withoutFile(this.#now, id))
  }

  /** Uploads files and attaches them. */
  async addFiles(files: File[], limits: AttachmentLimits): Promise<void> {
    try {
      const queue = await this.#openUploads()
      queue.add(files, limits)
      await loadAttachmentList()
    } catch {
      toastError("Couldn't attach the files. Check your connection, or reload the page.")
    }
  }

  /** Puts the version that was replaced into the field, and keeps the one that is there for another restore. */
  restoreOther(): void {
    const { other } = this.#now
    if (other) this.#change({ ...NO_CHOICES, ...other, other: contentIn(this.#now) })
  }

  dismissOther(): void {
    this.#set({ other: null })
  }

  /** The ticket is deleted: makes the text unsaved, so that it is offered once more after the page is closed. */
  keepOfDeletedTicket(text: string): void {
    this.#isTicketDeleted = true
    this.#isForgotten = false
    this.#change({ text, saved: null })
  }

  forget(): void {
    this.#request.abort()
    untrack(this.uploads)?.cancelAll()
    this.#isForgotten = true
    removeStored(this.#key)
    this.#set({ ...EMPTY_DRAFT, other: null, isSender: false, isSendLate: false, sendsAfterUploads: null })
  }

  #change(content: Partial<DraftState>): void {
    this.#set({ ...content, changedAt: Date.now() })
  }

  /** Stores the draft in the browser, and on the server if its copy differs. */
  #set(part: Partial<DraftState>): void {
    const next = { ...this.#now, ...part }
    next.isSaveLate &&= isUnsaved(next)
    this.#setState(next)
    if (this.#isForgotten) return
    writeStoredDraft(this.#key, next)
    if (isUnsaved(next)) this.#saveIn(SAVE_AFTER_MS)
  }

  async #openUploads(): Promise<UploadQueue> {
    const known = untrack(this.uploads)
    if (known) return known
    const { createUploadQueue } = await import('../attachments/upload-queue.ts')
    const queue = createUploadQueue({
      attachedCount: () => this.#now.attachments.length,
      onUploaded: (file) => this.attach(file),
      onEnded: (isComplete) => this.#endUploads(isComplete),
    })
    // Another call may have loaded it meanwhile.
    return untrack(this.uploads) ?? this.#setUploads(queue)
  }

  // Saving

  save(): void {
    clearTimeout(this.#saveTimer)
    this.#saveTimer = undefined
    if (this.#saving || this.#isForgotten || !isUnsaved(this.#now)) return
    const draft = this.#now
    this.#saving = this.#put(draft, false).finally(() => {
      this.#saving = undefined
      // The server would refuse the same content again.
      if (isUnsaved(this.#now) && !isSameContent(draft, this.#now)) this.#saveIn(SAVE_AFTER_MS)
    })
  }

  /** Waits until the server has all of the text, or can't be reached. */
  async settle(): Promise<void> {
    this.save()
    await this.#saving
  }

  retrySave(): void {
    this.#retryMs = FIRST_RETRY_MS
    // What an earlier page was sending is looked for first: a draft of it would be offered again.
    if (this.#now.sending?.isOut !== false || this.#isCompared) this.save()
  }

  /** The page is being closed. */
  close(): void {
    if (this.#isForgotten) return
    if (this.#now.isSender) writeStoredDraft(this.#key, withUnconfirmedText(this.#now))
    if (isUnsaved(this.#now)) void this.#put(this.#now, true)
  }

  #saveIn(ms: number): void {
    this.#saveTimer ??= setTimeout(() => this.save(), ms)
  }

  async #put(draft: StoredDraft, isClosing: boolean): Promise<void> {
    const { ticketId, kind } = this.#place
    const content = contentIn(draft)
    const { text, attachments, recipients = null, actions = null, sendAt = null } = content
    const base = draft.saved?.savedAt || null
    const files = attachments.map(({ id }) => id)
    const body = { kind, text, attachments: files, recipients, actions, sendAt, base }
    const signal = AbortSignal.timeout(MAX_SAVE_MS)
    try {
      const saved = api.console.tickets({ id: ticketId }).draft
      const { savedAt } = await ask(saved.put(body, { fetch: { keepalive: isClosing, signal } }))
      this.#retryMs = FIRST_RETRY_MS
      const copy = { ...content, text: isBlank(content) ? '' : text, savedAt }
      this.#set({ saved: this.#isTicketDeleted ? null : copy, isSaveLate: false })
      showSavedDraft(ticketId, { kind, ...content, savedAt })
    } catch (error) {
      await this.#onSaveFailed(error, attachments)
    }
  }

  async #onSaveFailed(error: unknown, attachments: DraftAttachment[]): Promise<void> {
    const ids = goneFiles(error, attachments) ?? []
    const gone = this.#now.attachments.filter(({ id }) => ids.includes(id))
    if (gone.length > 0) {
      toastError(goneFilesMessage(gone.map(({ name }) => name)))
      this.#set({ attachments: without(this.#now.attachments, gone) })
    } else if (codeOf(error) === 'draft_changed') await this.#readAgain(false)
    else if (isNotFound(error)) this.#offerLostText(this.#now.text)
    else if (isUnanswered(error)) {
      this.#setState({ ...this.#now, isSaveLate: isUnsaved(this.#now) })
      this.#saveIn(this.#retryMs)
      this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS)
    }
  }

  /** The ticket was deleted before its draft was saved. An open ticket offers the text itself. */
  #offerLostText(text: string): void {
    if (location.pathname.endsWith(`/${this.#place.ticketId}`)) return
    this.forget()
    if (text.trim() === '') return
    const quote = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
    toastError(`A ticket you were writing on was deleted. Your text: “${quote}”`, {
      text: 'Copy',
      run: () => void copyText(text),
    })
  }

  // Versions from other tabs and devices

  /** The ticket is shown. */
  open(): void {
    this.#isCompared = false
  }

  /** Continues what an earlier page left unsaved, or was sending. If the server can't tell, it stays a draft. */
  async resume(): Promise<void> {
    if (this.#now.sending) {
      const detail = await queries.fetchQuery(ticketQuery(this.#place.ticketId)).catch(() => undefined)
      if (detail) this.readFrom(detail)
    }
    this.save()
  }

  /** Another tab has stored a version; undefined when it has removed it. */
  meetOtherTab(theirs: StoredDraft = { ...EMPTY_DRAFT, changedAt: Date.now() }): void {
    const ours = this.#now
    // The tab that sends has the newest state.
    if (ours.isSender || theirs.changedAt < ours.changedAt) return
    clearTimeout(this.#saveTimer)
    this.#saveTimer = undefined
    const isLost = isUnsaved(ours) && !contains(theirs.sending ?? theirs, ours) && !contains(theirs, ours)
    const other = isLost && !isBlank(ours) ? contentIn(ours) : ours.other
    this.#setState({ ...ours, ...NO_CHOICES, ...theirs, other })
  }

  /** Compares it with what was read of its ticket. */
  readFrom(detail: TicketDetail, { isFresh = false, isAnnounced = false } = {}): void {
    const theirs = detail.drafts.find(({ kind }) => kind === this.#place.kind)
    const { sending, isSender } = this.#now
    if (sending && isInThread(detail, sending)) {
      if (isSender || (!sending.isOut && isUnchanged(this.#now))) {
        if (!isSender) toast('Your earlier message was sent after all.')
        this.#finishSending(isSender ? undefined : theirs)
        return
      }
    }
    if (sending?.isOut) return
    const wasCompared = this.#isCompared
    this.#isCompared = true
    if (theirs) this.#meetServer(theirs)
    else if (isUnsaved(this.#now)) this.#saveIn(SAVE_AFTER_MS)
    else if (isBlank(this.#now)) return
    // The server's copy is gone: it was sent or cleared elsewhere. What was read may be older than the last save.
    else if (!isFresh) void this.#readAgain(wasCompared)
    else {
      this.#set({ ...EMPTY_DRAFT, other: null })
      if (isAnnounced) toast('This draft was sent or cleared in another tab.')
    }
  }

  /** Takes the server's version if it is newer than what was typed here. */
  #meetServer(draft: Draft): void {
    const ours = this.#now
    const { saved } = ours
    const isDirty = isUnsaved(ours)
    if (saved && draft.savedAt <= saved.savedAt) {
      if (isDirty) this.#saveIn(SAVE_AFTER_MS)
      return
    }
    const content = contentOf(draft)
    const theirs = { ...content, savedAt: draft.savedAt }
    const isContinued =
      isDirty && (contains(ours, content) || (saved !== null && isSameContent(content, saved)))
    if (isSameContent(ours, content) || isContinued) this.#set({ saved: theirs })
    else if (isDirty && toServerTime(ours.changedAt) >= Date.parse(draft.savedAt)) {
      this.#set({ saved: theirs, other: content })
    } else {
      const changedAt = Date.parse(draft.savedAt)
      const other = isDirty && !isBlank(ours) ? contentIn(ours) : ours.other
      this.#set({ ...NO_CHOICES, ...content, changedAt, saved: theirs, other })
    }
  }

  async #readAgain(isAnnounced: boolean): Promise<void> {
    const detail = await readNewest(this.#place.ticketId)
    if (detail) this.readFrom(detail, { isFresh: true, isAnnounced })
  }

  // Sending

  /** Removes the text from the field and sends it once, after the uploads. Calls `onAccepted` with the id when the server has it. */
  send({ onAccepted, ...how }: Omit<SendRequest, 'id'> & { onAccepted?: (id: string) => void }): void {
    this.#onAccepted = onAccepted
    const id = createId(this.#place.kind === 'note' ? 'not' : 'msg', toServerTime(Date.now()))
    const request = { id, ...how }
    if (!this.#isHeld()) this.#startSending(request)
    else if (!this.#now.sending?.isOut) this.#set({ sendsAfterUploads: request })
  }

  /** Doesn't send after the uploads. */
  cancelSend(): void {
    this.#set({ sendsAfterUploads: null })
  }

  /** Sends only after this, such as files that the server copies. If it ends with false, a file is missing. */
  async holdSend(work: Promise<boolean>): Promise<void> {
    this.#holds += 1
    const isComplete = await work
    this.#holds -= 1
    this.#endUploads(isComplete)
  }

  #isHeld(): boolean {
    return this.#holds > 0 || untrack(this.uploads)?.isBusy() === true
  }

  /** Puts the unsent text back into the field. */
  editUnsent(): void {
    this.#request.abort()
    this.#returnToField()
  }

  discardUnsent(): void {
    this.#request.abort()
    this.#set({ isSender: false, isSendLate: false, sending: null })
  }

  /** Puts what was discarded before what is in the field. */
  putBack(content: DraftContent, sending: Sending | null = null): void {
    this.#change({ ...joined(content, this.#now), sending: sending && returned(sending) })
  }

  /** A message was taken back on the server. `returned` is what the server has put into this draft. */
  takeBack(content: DraftContent, returned: DraftContent | undefined): void {
    const { saved } = this.#now
    const copy = returned && { ...joined(returned, saved ?? EMPTY_DRAFT), savedAt: saved?.savedAt ?? '' }
    this.#change({ ...joined(content, this.#now), saved: copy ?? saved })
  }

  #endUploads(isComplete: boolean): void {
    const request = this.#now.sendsAfterUploads
    if (!request || (isComplete && this.#isHeld())) return
    this.#set({ sendsAfterUploads: null })
    if (isComplete) this.#startSending(request)
    else {
      const what = this.#place.kind === 'note' ? "Your note wasn't added" : "Your reply wasn't sent"
      toastError(`${what}, because a file couldn't be uploaded. Everything is in your draft.`)
    }
  }

  #startSending({ chosen, ...request }: SendRequest): void {
    const now = this.#now
    // If it comes back, all that was to be done with it is listed, whichever way to send was chosen.
    const before = { ...now, actions: actionsWith(now.actions, chosen) }
    if (isBlank(before) || before.sending?.isOut) return
    const at = Date.now()
    // The server may have it already, so it keeps its id.
    const earlier = before.sending && at - before.sending.at < ID_USABLE_MS ? before.sending : undefined
    const sending: Sending = {
      ...contentIn(before),
      ...request,
      id: earlier?.id ?? request.id,
      after: earlier?.after ?? request.after,
      at: earlier?.at ?? at,
      isOut: true,
      wasReturned: earlier !== undefined,
      isChanged: earlier !== undefined && isOtherRequest(earlier, { ...before, ...request }),
    }
    this.#request = new AbortController()
    this.#change({
      text: '',
      attachments: [],
      ...NO_CHOICES,
      other: null,
      sending,
      isSender: true,
      isSendLate: false,
      isSaveLate: false,
    })
    void this.#deliver(sending, this.#request.signal)
  }

  async #deliver(sending: Sending, signal: AbortSignal): Promise<void> {
    // No older text may arrive after it.
    await this.#saving
    if (signal.aborted) return
    const { ticketId, kind } = this.#place
    const trying = {
      signal,
      onDelayed: () => this.#setState({ ...this.#now, isSendLate: this.#now.isSender }),
    }
    try {
      const answer =
        kind === 'note'
          ? { note: await putNote(ticketId, sending, trying) }
          : { reply: await putReply(ticketId, sending, trying) }
      batch(() => {
        if (answer.note) showNote(ticketId, answer.note)
        else showReply(this.#place, sending, answer.reply)
        this.#finishSending()
      })
    } catch (error) {
      if (!signal.aborted) this.#onRefused(error)
    }
  }

  #onRefused(error: unknown): void {
    const isNote = this.#place.kind === 'note'
    const code = codeOf(error)
    if (code !== 'message_id_taken' && code !== 'note_id_taken') {
      this.#returnToField()
      const what = isNote ? "Your note wasn't added." : "Your reply wasn't sent."
      toastError(`${what} The text is in your draft. ${errorMessage(error)}`)
      return
    }
    // The server already has this id: with this content if every request had it, otherwise with an earlier one, which the agent must know.
    if (this.#now.sending?.isChanged) {
      this.#returnToField()
      this.#set({ sending: null })
      const what = isNote ? 'note' : 'reply'
      toastError(`Your earlier ${what} was sent after all. Check the ticket before you send again.`)
    } else this.#finishSending()
    void readTicketAgain(this.#place.ticketId)
  }

  /** The server accepted it, and deleted its copy of the draft if that had the same text and no more files. */
  #finishSending(theirs?: Draft): void {
    const { sending, isSender, ...before } = this.#now
    if (!sending) {
      this.#set({ isSender: false, isSendLate: false })
      return
    }
    const saved = theirs ? copyOfSent({ ...before, sending }, theirs) : before.saved
    const isSameText = saved?.text.trim() === sending.text.trim()
    const isEnded = !sending.wasReturned && isSameText && hasFilesOf(sending, saved)
    this.#request.abort()
    this.#set({
      text: sending.isOut ? before.text : before.text.slice(sending.text.length).trimStart(),
      attachments: without(before.attachments, sending.attachments),
      saved: isEnded ? { text: '', attachments: [], savedAt: saved.savedAt } : saved,
      sending: null,
      isSender: false,
      isSendLate: false,
    })
    if (isSender) this.#onAccepted?.(sending.id)
  }

  /** Puts what is being sent back into the field, before what was typed since. Keeps its id, because the server may have it. */
  #returnToField(): void {
    const { sending } = this.#now
    const ended = { isSender: false, isSendLate: false }
    if (!sending?.isOut) this.#set(ended)
    else this.#change({ ...ended, ...joined(sending, this.#now), sending: returned(sending) })
  }
}

function isOtherRequest(earlier: Sending, next: DraftContent & Pick<Sending, 'sentTo'>): boolean {
  const isSame = isSameContent(earlier, next) && isSameRecipients(earlier.sentTo, next.sentTo)
  return earlier.isChanged || !isSame
}

/** Whether the field still begins with what an earlier page was sending, or is empty. */
function isUnchanged(draft: StoredDraft): boolean {
  const { text, sending } = draft
  return isBlank(draft) || (sending !== null && text.startsWith(sending.text) && hasFilesOf(draft, sending))
}

/** The text that was sent may be on the server without this page knowing, saved by one that was closed before the answer. */
function copyOfSent(ours: StoredDraft, draft: Draft): StoredDraft['saved'] {
  if (draft.savedAt <= (ours.saved?.savedAt ?? '')) return ours.saved
  const content = contentOf(draft)
  const isSent = [ours.sending ?? ours, ours].some(
    (one) => one.text.trim() === content.text.trim() && hasFilesOf(one, content),
  )
  return isSent ? { ...content, savedAt: draft.savedAt } : ours.saved
}

/** The server's version as the page keeps it. */
function contentOf({ text, attachments = [], recipients, actions, sendAt }: Draft): DraftContent {
  return contentIn({ text, attachments, recipients, actions, sendAt })
}

/** No answer, or one that says nothing about this draft. Another refusal would be the same again. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof ApiProblem) || error.code === UNREADABLE) return true
  return error.status < 400 || error.status >= 429
}

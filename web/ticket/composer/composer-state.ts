import { type Accessor, createEffect, createMemo, createSignal, on } from 'solid-js'
import { timeOfId } from '../../api/create-id.ts'
import { atServer, timeToCome } from '../../api/server-clock.ts'
import type { AttachmentLimits } from '../attachments/upload-queue.ts'
import { actionsWith } from '../changes/actions.ts'
import { pushUndo } from '../changes/undo.ts'
import { isBlank } from '../draft/draft-content.ts'
import type { DraftKind } from '../draft/draft-storage.ts'
import { draftOf, type OpenDraft } from '../draft/drafts.ts'
import { isSameRecipients, type Recipients } from '../recipients/address-list.ts'
import { newestMessage } from '../thread/thread-rows.ts'
import { isChat } from '../ticket-names.ts'
import type { TicketDetail } from '../ticket-query.ts'
import type { SendChoice } from './send-button.tsx'

/** Both drafts of the agent on one ticket, which of them is shown, and sending it. */
export interface ComposerState {
  drafts: Record<DraftKind, OpenDraft>
  kind: Accessor<DraftKind>
  show: (kind: DraftKind) => void
  shown: Accessor<OpenDraft>
  /** Whether there is something to send, no upload failed, and nothing is being sent, because that may still return to the field. */
  canSend: Accessor<boolean>
  /** `at` for a later time; without it, at the time that an edited draft has, if that is to come. */
  send: (choice: SendChoice, at?: Date) => void
  /** Who gets the reply: as the agent changed it, or as the ticket suggests. Undefined when it doesn't leave by email. */
  recipients: Accessor<Recipients | undefined>
  /** Undefined for the recipients that the ticket suggests. */
  changeRecipients: (recipients: Recipients | undefined) => void
  /** Uploads files into the shown draft. */
  attach: (files: File[]) => void
  /** The text is in its field again. */
  returnTo: (kind: DraftKind) => void
}

interface ComposerInput {
  detail: () => TicketDetail
  agentId: string
  limits: AttachmentLimits
  /** Puts the cursor into the field. */
  focus: () => void
  /** Opens this ticket again, wherever the agent is now. */
  open: () => void
}

/** The newest message the agent has seen: on the server, replies count from when they were written until they are sent. */
interface SeenMessage {
  id: string
  at: number
}

const KINDS: DraftKind[] = ['reply', 'note']

/** The newest reply this page has sent per ticket, so that the next one isn't held as a second answer. */
const lastSent = new Map<string, SeenMessage>()

/** The composer's state on one ticket. It opens with the draft edited last. */
export function createComposerState({ detail, agentId, limits, focus, open }: ComposerInput): ComposerState {
  const ticketId = detail().ticket.id
  const drafts = { reply: draftOf(agentId, ticketId, 'reply'), note: draftOf(agentId, ticketId, 'note') }
  for (const kind of KINDS) drafts[kind].open()
  readAll()
  createEffect(on(detail, readAll, { defer: true }))
  const [kind, show] = createSignal<DraftKind>(writtenLast(drafts))
  const shown = () => drafts[kind()]
  /** The newest message when the agent started to write. Later replies are new to them. */
  let seen = newestSeen(detail())
  createEffect(() => {
    if (isBlank(drafts.reply.state())) seen = newestSeen(detail())
  })

  function readAll() {
    for (const one of KINDS) drafts[one].readFrom(detail())
  }

  function returnTo(returned: DraftKind) {
    show(returned)
    open()
    focus()
  }

  const recipients = createMemo(() => {
    const { by, recipients: suggested } = detail().reply
    return by === 'email' ? (drafts.reply.state().recipients ?? suggested) : undefined
  })

  function sendReply({ actions }: SendChoice, at: Date | undefined) {
    const { id: after } = newer(seen, lastSent.get(ticketId))
    const { undoSeconds } = detail().reply
    const before = detail().ticket
    const done = actionsWith(drafts.reply.state().actions, actions)
    const undone = { ticketId, draft: drafts.reply, agentId, before, done }
    const sendAt = at ? atServer(at.getTime()) : timeToCome(drafts.reply.state().sendAt)
    const waits = undoSeconds > 0 || sendAt !== undefined
    // Ctrl/⌘+Z right after Send means this reply, even if the server has yet to answer: it's taken back as soon as it does.
    let isUnwanted = false
    let isAccepted = false
    const forgetSending = pushUndo({
      label: '',
      isOnScreen: () => true,
      isPossible: () => isAccepted || isBeingSent(drafts.reply),
      undo: () => {
        isUnwanted = true
      },
    })
    drafts.reply.send({
      after,
      chosen: actions,
      sentTo: explicit(recipients()),
      undoMs: undoSeconds * 1_000,
      sendAt,
      onAccepted(id) {
        isAccepted = true
        lastSent.set(ticketId, { id, at: timeOfId(id) })
        const onTakenBack = () => returnTo('reply')
        // Its card offers it as well, if this can't be loaded.
        void import('./waiting-replies.ts').then(({ offerUndo, offerTakingBack }) => {
          forgetSending()
          const offer = waits ? offerUndo : isChat(detail().reply.by) ? offerTakingBack : undefined
          const undo = offer?.(undone, id, onTakenBack)
          if (isUnwanted) void undo?.()
        }, forgetSending)
      },
    })
  }

  const canSend = () => {
    const { state, uploads } = shown()
    if (isBeingSent(shown()) || uploads()?.hasFailed()) return false
    if (state().attachments.length > limits.attachmentsPerMessage) return false
    return !isBlank(state()) || uploads()?.isBusy() === true
  }
  return {
    drafts,
    kind,
    show,
    shown,
    canSend,
    send(choice, at) {
      if (!canSend()) return
      if (kind() === 'reply') sendReply(choice, at)
      else drafts.note.send({ after: '', sendAt: undefined })
    },
    attach(files) {
      focus()
      void shown().addFiles(files, limits)
    },
    recipients,
    changeRecipients(changed) {
      // Recipients that the ticket suggests aren't stored as a change: with the next mail it may suggest others.
      const isSuggested = isSameRecipients(changed, detail().reply.recipients)
      drafts.reply.changeRecipients(isSuggested ? undefined : changed)
    },
    returnTo,
  }
}

/** Or will be after its uploads. */
function isBeingSent({ state }: OpenDraft): boolean {
  const { sending, sendsAfterUploads } = state()
  return sending?.isOut === true || sendsAfterUploads !== null
}

/** As they are shown now: a mail that arrives before the reply leaves changes nothing. */
function explicit(recipients: Recipients | undefined): Recipients | undefined {
  if (!recipients || recipients.to.length === 0) return undefined
  const { to, cc, bcc = [] } = recipients
  return { to, cc, ...(bcc.length > 0 && { bcc }) }
}

function newestSeen({ timeline, waiting }: TicketDetail): SeenMessage {
  const message = newestMessage(timeline)
  const sent = { id: message?.id ?? '', at: Date.parse(message?.createdAt ?? '') || 0 }
  return waiting.reduce((seen, { id }) => newer(seen, { id, at: timeOfId(id) }), sent)
}

function newer(one: SeenMessage, other: SeenMessage | undefined): SeenMessage {
  return other && other.at > one.at ? other : one
}

function writtenLast({ reply, note }: ComposerState['drafts']): DraftKind {
  if (isBlank(note.state())) return 'reply'
  return isBlank(reply.state()) || note.state().changedAt > reply.state().changedAt ? 'note' : 'reply'
}

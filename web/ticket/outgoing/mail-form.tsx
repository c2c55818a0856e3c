import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, Show, untrack } from 'solid-js'
import { errorMessage } from '../../api/api-problem.ts'
import { atServer } from '../../api/server-clock.ts'
import type { WritingField } from '../../formatting/writing-field.ts'
import { keyComboOf } from '../../keyboard/key-combo.ts'
import { lazyDialog, lazyPart } from '../../live/lazy-page.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { MenuItem } from '../../ui/menu.tsx'
import { DropTarget } from '../attachments/attachments.tsx'
import { SplitButton } from '../composer/split-button.tsx'
import type { FilledTicket } from '../composer/variables.ts'
import { WritingArea } from '../composer/writing-area.tsx'
import { type Recipient, recipientsFault, UNFINISHED } from '../recipients/address-list.ts'
import { RecipientsEditor, suggestCustomers } from '../recipients/recipients-editor.tsx'
import { isEmpty, type MailDraft } from './outgoing-mail.ts'
import './mail-form.css'
import { useSession } from '../../api/session.ts'
import { goneFiles, goneFilesMessage } from '../attachments/attachment-type.ts'
import type { FilesDraft } from '../attachments/draft-files.tsx'
import { createUploadQueue } from '../attachments/upload-queue.ts'
import { withFile, without, withoutFile } from '../draft/draft-content.ts'

/** Loaded with the first mail that has a time. */
const DraftActions = lazyPart(async () => (await import('../composer/draft-actions.tsx')).DraftActions)
const SendLaterDialog = lazyDialog(() => import('../times/send-later-dialog.tsx'))

const MAX_SUBJECT_LENGTH = 255

/** What is sent, whichever dialog it is written in. */
interface SentMail {
  id: string
  to: Recipient[]
  cc: Recipient[]
  bcc?: Recipient[]
  text: string
  format: 'markdown'
  /** Ids of uploads. */
  attachments?: string[]
}

interface MailFormProps {
  draft: MailDraft
  /** Needs a subject, and a text or a file. Can be sent later. */
  isNew?: boolean
  /** Label of the text field. */
  label: string
  placeholder: string
  /** What the variables of saved replies are filled in from. */
  ticket: FilledTicket
  /** Between the text and the buttons. */
  children: JSX.Element
  /** Why nothing can be sent at all. */
  obstacle?: string
  /** Follows an error: where to fix it. */
  errorLink?: JSX.Element
  /** Beside the buttons while there is no error. */
  note?: JSX.Element
  /** Text of the button that sends it. */
  action: string
  send: (mail: SentMail) => Promise<void>
  /** The draft was discarded. */
  onDiscard: () => void
}

/** Where an agent writes an email outside of a ticket's composer: recipients, text and files. */
export function MailForm(props: MailFormProps) {
  const { mail, change, discard, idToSend } = props.draft
  const files = createMailFiles(props.draft)
  const [isUnfinished, setUnfinished] = createSignal(false)
  const [isBusy, setBusy] = createSignal(false)
  const [error, setError] = createSignal('')
  const [isAskingTime, setAskingTime] = createSignal(false)
  let toField: HTMLInputElement | undefined
  let subjectField: HTMLInputElement | undefined
  let textField: WritingField | undefined

  // What was wrong with it is fixed, or at least no longer the same.
  // A memo, because files load late: that alone fixes nothing.
  const fileFault = createMemo(() => files.fault())
  createEffect(on([mail, isUnfinished, fileFault], () => setError(''), { defer: true }))

  function fault(): string | undefined {
    if (props.obstacle) return props.obstacle
    if (isUnfinished()) return UNFINISHED
    const recipients = recipientsFault(mail())
    if (!props.isNew) return recipients ?? files.fault()
    const { subject, text, attachments } = mail()
    if (subject.trim() === '') return recipients ?? 'Add a subject.'
    const isBlank = text.trim() === '' && attachments.length === 0 && !files.uploads()?.isBusy()
    return recipients ?? files.fault() ?? (isBlank ? 'Write a message.' : undefined)
  }

  function focusMissing(): void {
    const { to, subject, text } = mail()
    if (props.obstacle || isUnfinished()) return
    if (to.length === 0) toField?.focus()
    else if (props.isNew && subject.trim() === '') subjectField?.focus()
    else if (props.isNew && text.trim() === '') textField?.focus()
  }

  /** Says what is missing, and goes there. */
  function isReady(): boolean {
    const reason = fault()
    setError(reason ?? '')
    if (reason) focusMissing()
    return !reason && !isBusy()
  }

  async function send(): Promise<void> {
    if (!isReady()) return
    setBusy(true)
    if (!(await files.settle())) {
      setBusy(false)
      setError(files.fault() ?? '')
      return
    }
    const { to, cc, bcc = [], text } = mail()
    const copies = { cc, ...(bcc.length > 0 && { bcc }) }
    try {
      await props.send({ id: idToSend(), to, ...copies, text, format: 'markdown', ...files.body() })
    } catch (thrown) {
      setError(files.dropGone(thrown) ?? errorMessage(thrown))
    }
    setBusy(false)
  }

  return (
    <form
      class="mail-form"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
      onKeyDown={(event) => {
        if (keyComboOf(event) !== 'mod+enter') return
        event.preventDefault()
        void send()
      }}
    >
      <RecipientsEditor
        recipients={mail()}
        onChange={(recipients) => change(recipients)}
        onUnfinished={setUnfinished}
        suggest={suggestCustomers}
        field={(field) => {
          toField = field
        }}
      />
      <Show when={props.isNew}>
        <input
          class="mail-form-subject"
          ref={subjectField}
          aria-label="Subject"
          placeholder="Subject"
          maxLength={MAX_SUBJECT_LENGTH}
          value={mail().subject}
          onInput={(event) => change({ subject: event.currentTarget.value })}
          // The form is sent by its button only.
          onKeyDown={(event) =>
            event.key === 'Enter' && !event.ctrlKey && !event.metaKey && event.preventDefault()
          }
        />
      </Show>
      <WritingArea
        label={props.label}
        placeholder={props.placeholder}
        rows={6}
        text={mail().text}
        onWrite={(text) => change({ text })}
        ticket={props.ticket}
        draft={files}
        onFiles={files.add}
        isInDialog
        field={(field) => {
          textField = field
        }}
      />
      <Show when={mail().sendAt}>
        {(sendAt) => (
          <DraftActions
            sendAt={sendAt()}
            onSendAt={(none) => change({ sendAt: none })}
            onRemoved={() => textField?.focus()}
          />
        )}
      </Show>
      {props.children}
      <div class="mail-form-foot">
        <div class="mail-form-note">
          <Show when={error()} fallback={props.note}>
            <ErrorText>
              {error()} {props.errorLink}
            </ErrorText>
          </Show>
        </div>
        <Show when={!isEmpty(mail())}>
          <Button
            look="quiet"
            onClick={() => {
              discard()
              props.onDiscard()
            }}
          >
            Discard
          </Button>
        </Show>
        <Show
          when={props.isNew}
          fallback={
            <Button type="submit" look="primary" keys="mod+enter" isBusy={isBusy()}>
              {props.action}
            </Button>
          }
        >
          <SplitButton
            type="submit"
            keys="mod+enter"
            isBusy={isBusy()}
            others={<MenuItem onSelect={() => setAskingTime(isReady())}>Send later…</MenuItem>}
          >
            {props.action}
          </SplitButton>
          <SendLaterDialog
            isOpen={isAskingTime()}
            onClose={() => setAskingTime(false)}
            title="Send later"
            onPick={(at) => {
              change({ sendAt: atServer(at.getTime()) })
              void send()
            }}
          />
        </Show>
      </div>
      <DropTarget name="your message" onFiles={files.add} />
    </form>
  )
}

/** The files of an email outside of a ticket's composer. */
interface MailFiles extends FilesDraft {
  add: (files: File[]) => void
  /** Why it can't be sent with these files. */
  fault: () => string | undefined
  /** Waits for the uploads. Returns false if one failed or was canceled, so that nothing is sent without it. */
  settle: () => Promise<boolean>
  /** Ids for the request. */
  body: () => { attachments?: string[] }
  /** Removes files that the server refused because it no longer has them. Returns the message to show. */
  dropGone: (error: unknown) => string | undefined
}

/** Uploads that aren't finished when the form closes are canceled. */
function createMailFiles({ mail, change }: MailDraft): MailFiles {
  const session = useSession()
  const { limits } = session()
  const attachments = () => mail().attachments
  const [isCancelled, setCancelled] = createSignal(false)
  let onEnded: (isComplete: boolean) => void = () => {}
  const queue = createUploadQueue({
    attachedCount: () => untrack(attachments).length,
    onUploaded: (file) => change({ attachments: withFile(untrack(attachments), file) }),
    onEnded: (isComplete) => onEnded(isComplete),
  })
  onCleanup(queue.cancelAll)

  return {
    state: mail,
    uploads: () => queue,
    attach: (file) => change({ attachments: withFile(attachments(), file) }),
    removeFile: (id) => change(withoutFile(mail(), id)),
    cancelSend: () => void setCancelled(true),
    add: (files) => queue.add(files, limits),
    fault() {
      const failed = queue.fault()
      if (failed !== undefined) return failed
      const excess = attachments().length - limits.attachmentsPerMessage
      return excess > 0 ? `Too many files: remove ${excess}.` : undefined
    },
    async settle() {
      setCancelled(false)
      if (!queue.isBusy()) return !queue.hasFailed()
      const isComplete = await new Promise<boolean>((resolve) => {
        onEnded = resolve
      })
      return isComplete && !isCancelled()
    },
    body() {
      const ids = attachments().map(({ id }) => id)
      return ids.length === 0 ? {} : { attachments: ids }
    },
    dropGone(error) {
      const gone = goneFiles(error, attachments())?.map((id) => ({ id }))
      if (!gone || gone.length === 0) return undefined
      const left = without(attachments(), gone)
      const names = without(attachments(), left).map(({ name }) => name)
      change({ attachments: left })
      return goneFilesMessage(names)
    },
  }
}

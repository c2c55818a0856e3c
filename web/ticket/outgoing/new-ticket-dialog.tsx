import { createEffect, createMemo, createSignal, Match, on, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { observe, queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { sendersQuery } from '../../api/workspace.ts'
import { keyComboOf } from '../../keyboard/key-combo.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Select } from '../../ui/select.tsx'
import { toast } from '../../ui/toaster.tsx'
import { DropTarget } from '../attachments/lazy-files.tsx'
import { SettingsLink } from '../composer/destination.tsx'
import { useAssignees } from '../header/assignee-picker.tsx'
import { STATUSES } from '../header/statuses.ts'
import { recipientsFault, UNFINISHED } from '../recipients/address-list.ts'
import { RecipientsEditor } from '../recipients/recipients-editor.tsx'
import { suggestCustomers } from '../recipients/suggest-customers.ts'
import type { Ticket, TicketStatus } from '../ticket-query.ts'
import { createMailFiles } from './mail-files.ts'
import { MailText } from './mail-text.tsx'
import './new-ticket-dialog.css'
import { createMailDraft, isEmpty } from './outgoing-mail.ts'

const MAX_SUBJECT_LENGTH = 255
const STATUS_ORDER: TicketStatus[] = ['open', 'pending', 'resolved']

interface NewTicketDialogProps {
  isOpen: boolean
  onClose: () => void
  /** The ticket was opened. */
  onOpened: (ticket: Ticket) => void
}

/** An agent writes first: opens a ticket with an email to anyone. Closed, it stays a draft of this browser. */
export default function NewTicketDialog(props: NewTicketDialogProps) {
  let isDraft = () => false
  function close(): void {
    if (isDraft()) toast('Draft saved in this browser')
    props.onClose()
  }
  return (
    <Dialog isOpen={props.isOpen} onClose={close} title="New ticket" size="wide">
      <NewTicketForm
        onClose={close}
        onOpened={props.onOpened}
        onDraft={(known) => {
          isDraft = known
        }}
      />
    </Dialog>
  )
}

interface NewTicketFormProps extends Omit<NewTicketDialogProps, 'isOpen'> {
  /** Receives whether there is something to lose. */
  onDraft: (isDraft: () => boolean) => void
}

function NewTicketForm(props: NewTicketFormProps) {
  const session = useSession()
  const me = session().agent.id
  const draft = createMailDraft(me, 'new', { assignedTo: me })
  const files = createMailFiles(draft)
  const { mail, change } = draft
  props.onDraft(() => !isEmpty(mail()))
  const senders = observe(() => sendersQuery)
  const mailboxes = () => senders().data?.data ?? []
  const mailbox = () =>
    mailboxes().find(({ id }) => id === mail().mailboxId) ??
    mailboxes().find(({ isDefault }) => isDefault) ??
    mailboxes()[0]
  const assignees = useAssignees()
  const [isUnfinished, setUnfinished] = createSignal(false)
  const [isBusy, setBusy] = createSignal(false)
  const [error, setError] = createSignal('')
  const hasNoMailbox = () => senders().data !== undefined && mailboxes().length === 0
  let toField: HTMLInputElement | undefined
  let subjectField: HTMLInputElement | undefined
  let textField: HTMLTextAreaElement | undefined
  const fault = () => {
    if (hasNoMailbox()) return NO_MAILBOX.reason
    if (isUnfinished()) return UNFINISHED
    const { subject, text } = mail()
    if (subject.trim() === '') return recipientsFault(mail()) ?? 'Add a subject.'
    const isBlank = text.trim() === '' && mail().attachments.length === 0 && !files.uploads()?.isBusy()
    return recipientsFault(mail()) ?? files.fault() ?? (isBlank ? 'Write a message.' : undefined)
  }

  // What was wrong with it is mended, or at least no longer the same.
  // A memo, because files load late: that alone mends nothing.
  const fileFault = createMemo(() => files.fault())
  createEffect(on([mail, isUnfinished, fileFault], () => setError(''), { defer: true }))

  function focusMissing(): void {
    const { to, subject, text } = mail()
    if (hasNoMailbox() || isUnfinished()) return
    if (to.length === 0) toField?.focus()
    else if (subject.trim() === '') subjectField?.focus()
    else if (text.trim() === '') textField?.focus()
  }

  async function send(): Promise<void> {
    const reason = fault()
    setError(reason ?? '')
    if (reason) focusMissing()
    if (reason || isBusy()) return
    setBusy(true)
    if (!(await files.settle())) {
      setBusy(false)
      setError(files.fault() ?? '')
      return
    }
    const { to, cc, subject, text, status, assignedTo } = mail()
    const mailboxId = mailbox()?.id
    const body = {
      messageId: draft.idToSend(),
      to,
      cc,
      subject: subject.trim(),
      text,
      format: 'markdown' as const,
    }
    try {
      const ticket = await ask(
        api.console.tickets.post({
          ...body,
          status,
          assignedTo: assignedTo || null,
          ...(mailboxId && { mailboxId }),
          ...files.body(),
        }),
      )
      draft.discard()
      void queries.invalidateQueries({ queryKey: queryKeys.tickets })
      void queries.invalidateQueries({ queryKey: queryKeys.counts })
      toast('Ticket created')
      props.onOpened(ticket)
    } catch (thrown) {
      setError(files.dropGone(thrown) ?? errorMessage(thrown))
    }
    setBusy(false)
  }

  return (
    <form
      class="new-ticket-dialog"
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
      <input
        class="new-ticket-dialog-subject"
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
      <MailText
        label="Message"
        placeholder="Write a message…"
        text={mail().text}
        onWrite={(text) => change({ text })}
        field={(field) => {
          textField = field
        }}
        files={files}
        ticket={{
          id: '',
          subject: mail().subject,
          customer: { name: mail().to[0]?.name ?? '', email: mail().to[0]?.address },
        }}
      />
      <div class="new-ticket-dialog-facts">
        <Show when={mailboxes().length > 1}>
          <Select
            label="From"
            // Their names are often the same.
            options={mailboxes().map(({ id, address }) => ({ value: id, label: address }))}
            value={mailbox()?.id ?? ''}
            onChange={(mailboxId) => change({ mailboxId })}
          />
        </Show>
        <Select
          label="Assignee"
          options={assignees()}
          value={mail().assignedTo}
          onChange={(assignedTo) => change({ assignedTo })}
        />
        <Select
          label="Status"
          options={STATUS_ORDER.map((status) => ({ value: status, label: STATUSES[status].name }))}
          value={mail().status}
          onChange={(status) => change({ status })}
        />
      </div>
      <div class="new-ticket-dialog-foot">
        <div class="new-ticket-dialog-note">
          <Switch>
            <Match when={error()}>
              {(text) => (
                <ErrorText>
                  {text()} <SettingsLink problem={hasNoMailbox() ? NO_MAILBOX : undefined} />
                </ErrorText>
              )}
            </Match>
            <Match when={hasNoMailbox()}>
              No mailbox is connected, so this can't be sent. <SettingsLink problem={NO_MAILBOX} />
            </Match>
            <Match when={mailbox()?.isPaused && mailbox()}>
              {(paused) => <>{paused().address} is paused. The email goes out when the mailbox is resumed.</>}
            </Match>
            <Match when={mailbox()}>{(from) => <>From {from().address}</>}</Match>
          </Switch>
        </div>
        <Show when={!isEmpty(mail())}>
          <Button
            look="quiet"
            onClick={() => {
              draft.discard()
              props.onClose()
            }}
          >
            Discard
          </Button>
        </Show>
        <Button type="submit" look="primary" keys="mod+enter" isBusy={isBusy()}>
          Send
        </Button>
      </div>
      <DropTarget name="your message" onFiles={files.add} />
    </form>
  )
}

const NO_MAILBOX = { reason: 'No mailbox is connected.', effect: 'fails', setting: 'email' } as const

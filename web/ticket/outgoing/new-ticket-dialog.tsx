import { useNavigate } from '@solidjs/router'
import { createMemo, createSignal, Match, on, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { observe } from '../../api/queries.ts'
import { timeToCome } from '../../api/server-clock.ts'
import { useSession } from '../../api/session.ts'
import { sendersQuery } from '../../api/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/select.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Obstacle, SettingsLink } from '../composer/reply-problem.tsx'
import { useAssignees } from '../header/pickers.tsx'
import { readListsAgain } from '../list-cache.ts'
import { STATUSES } from '../ticket-names.ts'
import type { Ticket, TicketStatus } from '../ticket-query.ts'
import { MailForm } from './mail-form.tsx'
import { startTicket } from './new-tickets.tsx'
import { createMailDraft, isEmpty, takeAside } from './outgoing-mail.ts'
import './mail-form.css'

import Mail from 'lucide-solid/icons/mail'

const STATUS_ORDER: TicketStatus[] = ['open', 'pending', 'resolved']

interface NewTicketDialogProps {
  isOpen: boolean
  onClose: () => void
  /** The ticket was opened. */
  onOpened: (ticket: Pick<Ticket, 'id'>) => void
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
      <NewTicketContent
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

/** The form, or what to connect before one can be sent. What was written before that is known stays on the page. */
function NewTicketContent(props: NewTicketFormProps) {
  const me = useSession()().agent.id
  takeAside(me)
  const senders = observe(() => sendersQuery)
  const hasNoMailbox = () => senders().data?.data.length === 0
  const isUnwritten = () => isEmpty(createMailDraft(me, 'new', { assignedTo: me }).mail())
  const mustConnect = createMemo(on(hasNoMailbox, (none) => none && isUnwritten()))
  return (
    <Show when={mustConnect()} fallback={<NewTicketForm {...props} />}>
      <ConnectFirst onClose={props.onClose} onOpened={props.onOpened} />
    </Show>
  )
}

function NewTicketForm(props: NewTicketFormProps) {
  const session = useSession()
  const me = session().agent.id
  const draft = createMailDraft(me, 'new', { assignedTo: me })
  const { mail, change } = draft
  props.onDraft(() => !isEmpty(mail()))
  const senders = observe(() => sendersQuery)
  const mailboxes = () => senders().data?.data ?? []
  const mailbox = () =>
    mailboxes().find(({ id }) => id === mail().mailboxId) ??
    mailboxes().find(({ isDefault }) => isDefault) ??
    mailboxes()[0]
  const assignees = useAssignees()
  const hasNoMailbox = () => senders().data !== undefined && mailboxes().length === 0

  return (
    <MailForm
      draft={draft}
      isNew
      label="Message"
      placeholder="Write a message…"
      ticket={{
        id: '',
        subject: mail().subject,
        customer: { name: mail().to[0]?.name ?? '', email: mail().to[0]?.address },
      }}
      obstacle={hasNoMailbox() ? NO_MAILBOX.reason : undefined}
      errorLink={<SettingsLink problem={hasNoMailbox() ? NO_MAILBOX : undefined} />}
      note={
        <Switch>
          <Match when={hasNoMailbox()}>
            No mailbox is connected, so this can't be sent. <SettingsLink problem={NO_MAILBOX} />
          </Match>
          <Match when={mailbox()?.problem}>{(problem) => <Obstacle problem={problem()} />}</Match>
          <Match when={mailbox()}>{(from) => <>From {from().address}</>}</Match>
        </Switch>
      }
      action="Send"
      send={async ({ id: messageId, ...written }) => {
        const { subject, status, assignedTo } = mail()
        const sendAt = timeToCome(mail().sendAt)
        const mailboxId = mailbox()?.id
        const request = {
          messageId,
          ...written,
          subject: subject.trim(),
          status,
          assignedTo: assignedTo || null,
          ...(mailboxId && { mailboxId }),
          canUndo: true,
          ...(sendAt && { sendAt }),
        }
        const ticket = await startTicket(me, { request, mail: mail() })
        draft.discard()
        if (ticket) {
          toast('Ticket created')
          props.onOpened(ticket)
        } else props.onClose()
      }}
      onDiscard={props.onClose}
    >
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
    </MailForm>
  )
}

const NO_MAILBOX = { reason: 'No mailbox is connected.', effect: 'fails', setting: 'email' } as const

/** An address that reaches no one (RFC 2606). */
const SAMPLE = {
  subject: 'Sample: Where is my order?',
  customer: { name: 'Sam Sample', email: 'sam@example.com' },
  message:
    'Hello,\n\nI ordered a lamp last week, and it has not arrived yet. Can you tell me where it is?\n\nThank you,\nSam',
  tags: ['sample'],
}

interface ConnectFirstProps {
  onClose: () => void
  /** The sample was opened. */
  onOpened: (ticket: { id: string }) => void
}

/** In place of the form of a new ticket, while there is no mailbox that it could be sent from. */
function ConnectFirst(props: ConnectFirstProps) {
  const navigate = useNavigate()
  const session = useSession()
  const isAdmin = () => session().agent.role === 'admin'
  const [isOpening, setOpening] = createSignal(false)

  async function openSample(): Promise<void> {
    setOpening(true)
    try {
      const ticket = await ask(api.v1.tickets.post(SAMPLE))
      readListsAgain()
      toast('Sample ticket created')
      props.onOpened(ticket)
    } catch (error) {
      toastError(errorMessage(error))
    } finally {
      setOpening(false)
    }
  }

  return (
    <EmptyState
      icon={<Mail />}
      title="Connect a mailbox first"
      text={`A new ticket is an email to a customer, sent from your mailbox. ${isAdmin() ? '' : 'Ask an administrator to connect one. '}To look around, open a sample ticket: nothing is sent.`}
      action={
        <>
          <Show when={isAdmin()}>
            <Button
              look="primary"
              onClick={() => {
                props.onClose()
                navigate('/settings/email')
              }}
            >
              Connect a mailbox
            </Button>
          </Show>
          <Button isBusy={isOpening()} onClick={() => void openSample()}>
            Create a sample ticket
          </Button>
        </>
      }
    />
  )
}

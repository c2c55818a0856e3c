import { createMemo, Show } from 'solid-js'
import { fold } from '../../../server/search/fold.ts'
import { api, ask } from '../../api/api.ts'
import { Select } from '../../ui/select.tsx'
import { type MailHeader, nameOf } from '../mail/mail-addresses.ts'
import { added, includes, type Recipient, type Recipients } from '../recipients/address-list.ts'
import { RecipientsEditor, suggestCustomers } from '../recipients/recipients-editor.tsx'
import { type TicketDetail, tryChange } from '../ticket-query.ts'

interface ReplyRecipientsProps {
  detail: TicketDetail
  recipients: Recipients
  /** Undefined for the recipients that the ticket suggests. */
  onChange: (recipients: Recipients | undefined) => void
  onUnfinished: (isUnfinished: boolean) => void
  isChanged: boolean
}

/** Who gets the reply, as chips. People who are on the ticket are suggested first. */
export function ReplyRecipients(props: ReplyRecipientsProps) {
  const known = createMemo(() => {
    const mails = props.detail.timeline.flatMap((entry) =>
      entry.kind === 'message' && entry.email ? peopleOn(entry.email) : [],
    )
    const { mailbox, mailboxes = mailbox ? [mailbox] : [] } = props.detail.reply
    const own = mailboxes.map(({ address }) => ({ name: '', address }))
    return added([], mails).filter(({ address }) => !includes(own, address))
  })
  const leftOut = () => (props.isChanged ? 0 : (props.detail.reply.recipients?.leftOut ?? 0))

  async function suggest(text: string): Promise<Recipient[]> {
    const typed = fold(text)
    const here = known().filter((person) => fold(`${nameOf(person)} ${person.address}`).includes(typed))
    return added(here, await suggestCustomers(text).catch(() => []))
  }

  return (
    <div class="reply-recipients">
      <Show when={props.detail.reply.mailboxes}>
        {(mailboxes) => (
          <Select
            label="From"
            options={mailboxes().map(({ id, address }) => ({ value: id, label: address }))}
            value={props.detail.reply.mailbox?.id ?? ''}
            onChange={(mailboxId) => void answerFrom(props.detail.ticket.id, mailboxId)}
          />
        )}
      </Show>
      <RecipientsEditor
        recipients={props.recipients}
        onChange={props.onChange}
        onUnfinished={props.onUnfinished}
        suggest={suggest}
        field={(field) => queueMicrotask(() => field.focus())}
      />
      <Show when={leftOut()}>
        {(count) => (
          <p class="reply-recipients-note">
            {count().toLocaleString()} others on the last email were left out: an email can have at most 50
            recipients.
          </p>
        )}
      </Show>
      <Show when={props.isChanged}>
        <button type="button" class="reply-recipients-reset" onClick={() => props.onChange(undefined)}>
          Use suggested recipients
        </button>
      </Show>
    </div>
  )
}

/** For all answers to the ticket from now on. */
function answerFrom(id: string, mailboxId: string): Promise<boolean> {
  const request = () => ask(api.console.tickets({ id }).mailbox.put({ mailboxId }))
  return tryChange(id, request, "Couldn't change the mailbox.")
}

function peopleOn({ from, replyTo = [], to, cc = [], bcc = [] }: MailHeader): Recipient[] {
  return [from, ...replyTo, ...to, ...cc, ...bcc]
}

import { Show } from 'solid-js'
import { shortId } from '../../ticket/short-id.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import type { Mail } from './mail-data.ts'
import { MailOutcomeBadge } from './mail-outcome.tsx'
import './mail-row.css'

/** One mail in the ledger: outcome, sender, subject and time, and why it is no message. */
export function MailRow(props: { mail: Mail }) {
  return (
    <li>
      <a class="entry-link mail-row" href={`/settings/mails/${props.mail.id}`}>
        <span class="mail-row-outcome">
          <MailOutcomeBadge outcome={props.mail.outcome} />
        </span>
        <span class="mail-row-from">{senderOf(props.mail)}</span>
        <span class="mail-row-subject">
          {subjectOf(props.mail)}
          <Show when={props.mail.ticketId}>
            {(id) => <code class="mail-row-ticket">{shortId(id())}</code>}
          </Show>
        </span>
        <span class="mail-row-time">
          <RelativeTime at={props.mail.receivedAt} />
        </span>
        <Show when={props.mail.outcome === 'quarantined' && props.mail.reason}>
          {(reason) => <span class="mail-row-reason">{reason()}</span>}
        </Show>
      </a>
    </li>
  )
}

/** Erased mails have neither sender nor subject, and those that were not read yet. */
export function senderOf({ from }: Mail): string {
  return from || 'Unknown sender'
}

export function subjectOf({ subject }: Mail): string {
  return subject || '(no subject)'
}

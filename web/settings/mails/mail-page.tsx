import { useQuery } from '@tanstack/solid-query'
import Download from 'lucide-solid/icons/download'
import Inbox from 'lucide-solid/icons/inbox'
import RotateCw from 'lucide-solid/icons/rotate-cw'
import { Show } from 'solid-js'
import { formatSize } from '../../../server/text/sizes.ts'
import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { ActionButton } from '../../forms/action.tsx'
import { DetailList, StateBadge, TicketLink, Timestamp } from '../detail-list.tsx'
import { Page } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import { MAIL_OUTCOMES, type Mail, mailQuery, senderOf, subjectOf } from './mail-data.ts'

const PENDING_REFETCH_MS = 1_000

/** One received mail: what happened to it, and its original. */
export function MailPage(props: { id: string }) {
  const query = useQuery(() => ({
    ...mailQuery(props.id),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.outcome === 'pending' ? PENDING_REFETCH_MS : false),
  }))
  return (
    <Page
      title={query.data ? subjectOf(query.data) : 'Received mail'}
      back={{ href: '/settings/mails', name: 'Received mail' }}
      lead={<span class="mono">{props.id}</span>}
      actions={<Show when={query.data}>{(mail) => <Actions mail={mail()} />}</Show>}
    >
      <QueryView query={query} what="the email">
        {(mail) => <Facts mail={mail()} />}
      </QueryView>
    </Page>
  )
}

function Actions(props: { mail: Mail }) {
  const route = () => api.console.mails({ id: props.mail.id })
  function changed(said: string): string {
    for (const queryKey of [queryKeys.mail(props.mail.id), queryKeys.mails, queryKeys.mailboxes]) {
      void queries.invalidateQueries({ queryKey })
    }
    return said
  }
  return (
    <>
      <Show when={props.mail.hasOriginal}>
        <a
          class="button"
          data-look="plain"
          href={`/console/mails/${props.mail.id}/original`}
          download={`${props.mail.id}.eml`}
          // The router would look for a page.
          target="_self"
        >
          <span class="button-content">
            <Download />
            Download original
          </span>
        </a>
      </Show>
      <Show when={props.mail.canBecomeTicket}>
        <ActionButton
          icon={<Inbox />}
          run={() => ask(route().ticket.post())}
          onDone={() => changed('Making a ticket.')}
        >
          Make a ticket of it
        </ActionButton>
      </Show>
      <Show when={props.mail.outcome === 'quarantined' && props.mail.hasOriginal}>
        <ActionButton
          look="primary"
          icon={<RotateCw />}
          run={() => ask(route().parse.post())}
          onDone={() => changed('Parsing again.')}
        >
          Parse again
        </ActionButton>
      </Show>
    </>
  )
}

function Facts(props: { mail: Mail }) {
  return (
    <DetailList
      items={{
        Outcome: (
          <>
            <StateBadge state={MAIL_OUTCOMES[props.mail.outcome]} />{' '}
            <span class="muted">{MAIL_OUTCOMES[props.mail.outcome].hint}</span>
          </>
        ),
        Reason: props.mail.reason || undefined,
        Ticket: <TicketLink id={props.mail.ticketId} otherwise="None" />,
        From: senderOf(props.mail),
        Subject: subjectOf(props.mail),
        Mailbox: <a href={`/settings/email/${props.mail.mailboxId}`}>{props.mail.mailbox}</a>,
        Folder: props.mail.folder,
        Size: formatSize(props.mail.size),
        Arrived: <Timestamp at={props.mail.receivedAt} />,
        Fetched: <Timestamp at={props.mail.fetchedAt} />,
      }}
    />
  )
}

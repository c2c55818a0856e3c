import { useMutation, useQuery } from '@tanstack/solid-query'
import Download from 'lucide-solid/icons/download'
import Inbox from 'lucide-solid/icons/inbox'
import RotateCw from 'lucide-solid/icons/rotate-cw'
import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Button } from '../../ui/button.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { DetailList } from '../detail-list.tsx'
import { Page } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { Timestamp } from '../timestamp.tsx'
import { type Mail, mailQuery } from './mail-data.ts'
import { MailOutcomeBadge, OUTCOME_WORDS } from './mail-outcome.tsx'
import { senderOf, subjectOf } from './mail-row.tsx'

const PENDING_REFETCH_MS = 1_000
const KIB = 1024

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
  const parse = useMutation(() => ({
    mutationFn: () => ask(route().parse.post()),
    ...answered('Parsing again.'),
  }))
  const makeTicket = useMutation(() => ({
    mutationFn: () => ask(route().ticket.post()),
    ...answered('Making a ticket.'),
  }))

  function answered(sentence: string) {
    return {
      onSuccess: () => {
        for (const queryKey of [queryKeys.mail(props.mail.id), queryKeys.mails, queryKeys.mailboxes]) {
          void queries.invalidateQueries({ queryKey })
        }
        toast(sentence)
      },
      onError: (error: Error) => toastError(errorMessage(error)),
    }
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
        <Button icon={<Inbox />} isBusy={makeTicket.isPending} onClick={() => makeTicket.mutate()}>
          Make a ticket of it
        </Button>
      </Show>
      <Show when={props.mail.outcome === 'quarantined' && props.mail.hasOriginal}>
        <Button look="primary" icon={<RotateCw />} isBusy={parse.isPending} onClick={() => parse.mutate()}>
          Parse again
        </Button>
      </Show>
    </>
  )
}

function Facts(props: { mail: Mail }) {
  return (
    <DetailList
      items={[
        {
          name: 'Outcome',
          value: (
            <>
              <MailOutcomeBadge outcome={props.mail.outcome} />{' '}
              <span class="muted">{OUTCOME_WORDS[props.mail.outcome].sentence}</span>
            </>
          ),
        },
        ...(props.mail.reason ? [{ name: 'Reason', value: props.mail.reason }] : []),
        {
          name: 'Ticket',
          value: (
            <Show when={props.mail.ticketId} fallback="None">
              {(id) => (
                <a class="mono" href={`/inbox/open/${id()}`}>
                  {id()}
                </a>
              )}
            </Show>
          ),
        },
        { name: 'From', value: senderOf(props.mail) },
        { name: 'Subject', value: subjectOf(props.mail) },
        {
          name: 'Mailbox',
          value: <a href={`/settings/email/${props.mail.mailboxId}`}>{props.mail.mailbox}</a>,
        },
        { name: 'Folder', value: props.mail.folder },
        { name: 'Size', value: sizeOf(props.mail.size) },
        { name: 'Arrived', value: <Timestamp at={props.mail.receivedAt} /> },
        { name: 'Fetched', value: <Timestamp at={props.mail.fetchedAt} /> },
      ]}
    />
  )
}

/** "812 bytes", "4.2 KB", "3.1 MB". */
function sizeOf(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`
  const [size, unit] = bytes < KIB * KIB ? [bytes / KIB, 'KB'] : [bytes / KIB / KIB, 'MB']
  return `${size.toFixed(1)} ${unit}`
}

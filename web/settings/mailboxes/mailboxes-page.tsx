import { useQuery } from '@tanstack/solid-query'
import MailIcon from 'lucide-solid/icons/mail'
import { Show } from 'solid-js'
import { Badge } from '../../ui/badge.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { StateBadge } from '../detail-list.tsx'
import { Ago, Entry } from '../entry.tsx'
import { ListPage } from '../query-view.tsx'
import {
  isBroken,
  MAILBOXES_PAGE,
  type Mailbox,
  mailboxes,
  mailCountSentence,
  shownStateOf,
} from './mailbox-data.ts'
import { OauthClients } from './oauth-clients.tsx'

const REFETCH_MS = 10_000

/** The mailboxes of the organization with their health, and its OAuth clients. */
export function MailboxesPage() {
  const query = useQuery(() => ({ ...mailboxes.list, reconcile: 'id', refetchInterval: REFETCH_MS }))
  return (
    <ListPage
      title="Email"
      lead={
        <>
          Email to these addresses becomes tickets, and replies are sent from them.{' '}
          <DocsLink to="/docs/email">Connect your mailbox</DocsLink> explains each step.
        </>
      }
      query={query}
      what="mailboxes"
      label="Mailboxes"
      add={{ text: 'Add mailbox', href: '/settings/email/new' }}
      empty={{
        icon: <MailIcon />,
        title: 'No mailboxes yet',
        text: 'Connect the address your customers write to. It stays at your email provider.',
      }}
      row={(mailbox) => <MailboxRow mailbox={mailbox} />}
    >
      <OauthClients />
    </ListPage>
  )
}

function MailboxRow(props: { mailbox: Mailbox }) {
  const health = () => props.mailbox.health
  const fault = () => isBroken(props.mailbox) && props.mailbox.detail
  return (
    <Entry
      href={`${MAILBOXES_PAGE.href}/${props.mailbox.id}`}
      title={
        <>
          {props.mailbox.address}
          <StateBadge state={shownStateOf(props.mailbox)} />
          <Show when={props.mailbox.isDefault}>
            <Badge>Default</Badge>
          </Show>
        </>
      }
      facts={[
        props.mailbox.name,
        <Ago words="Last mail in" at={health().lastReceivedAt} otherwise="No mail in yet" />,
        <Ago words="Last mail out" at={health().lastSentAt} otherwise="No mail out yet" />,
        mailCountSentence(props.mailbox),
        health().quarantined > 0 && `${health().quarantined} in quarantine`,
      ]}
      more={!props.mailbox.isSignedIn && <span class="entry-facts">{fault()}</span>}
      error={props.mailbox.isSignedIn && fault()}
    />
  )
}

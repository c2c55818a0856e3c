import { useQuery } from '@tanstack/solid-query'
import ChevronRight from 'lucide-solid/icons/chevron-right'
import MailIcon from 'lucide-solid/icons/mail'
import Plus from 'lucide-solid/icons/plus'
import { For, Show } from 'solid-js'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Page } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { type Mailbox, mailboxesQuery } from './mailbox-data.ts'
import { MailboxState, mailCountSentence } from './mailbox-state.tsx'
import { OauthClients } from './oauth-clients.tsx'

const REFETCH_MS = 10_000

/** The mailboxes of the organization with their health, and its OAuth clients. */
export function MailboxesPage() {
  const query = useQuery(() => ({ ...mailboxesQuery, reconcile: 'id', refetchInterval: REFETCH_MS }))
  const add = () => (
    <ButtonLink look="primary" icon={<Plus />} href="/settings/email/new">
      Add mailbox
    </ButtonLink>
  )
  return (
    <Page
      title="Email"
      lead={
        <>
          Email to these addresses becomes tickets, and replies are sent from them.{' '}
          <DocsLink to="/docs/email">Connect your mailbox</DocsLink> explains each step.
        </>
      }
      actions={add()}
    >
      <QueryView query={query} what="mailboxes" rows={2}>
        {(list) => (
          <Show
            when={list().data.length > 0}
            fallback={
              <EmptyState
                icon={<MailIcon />}
                title="No mailboxes yet"
                text="Connect the address your customers write to. It stays at your email provider."
                action={add()}
              />
            }
          >
            <ul class="entry-list" aria-label="Mailboxes">
              <For each={list().data}>{(mailbox) => <MailboxRow mailbox={mailbox} />}</For>
            </ul>
          </Show>
        )}
      </QueryView>
      <OauthClients />
    </Page>
  )
}

function MailboxRow(props: { mailbox: Mailbox }) {
  const health = () => props.mailbox.health
  const error = () => (isBroken(props.mailbox) ? props.mailbox.detail : undefined)
  return (
    <li>
      <a class="entry entry-link" href={`/settings/email/${props.mailbox.id}`}>
        <span class="entry-words">
          <span class="entry-title">
            {props.mailbox.address}
            <MailboxState mailbox={props.mailbox} />
            <Show when={props.mailbox.isDefault}>
              <Badge>Default</Badge>
            </Show>
          </span>
          <span class="entry-facts">
            <span>{props.mailbox.name}</span>
            <LastMail word="in" at={health().lastReceivedAt} />
            <LastMail word="out" at={health().lastSentAt} />
            <span>{mailCountSentence(props.mailbox)}</span>
            <Show when={health().quarantined}>{(count) => <span>{count()} in quarantine</span>}</Show>
          </span>
          <Show when={error()}>
            {(sentence) => (
              <span class={props.mailbox.isSignedIn ? 'entry-error' : 'entry-facts'}>{sentence()}</span>
            )}
          </Show>
        </span>
        <ChevronRight class="muted" />
      </a>
    </li>
  )
}

function LastMail(props: { word: 'in' | 'out'; at: string | null }) {
  return (
    <span>
      <Show when={props.at} fallback={`No mail ${props.word} yet`}>
        {(at) => (
          <>
            Last mail {props.word} <RelativeTime at={at()} isLong />
          </>
        )}
      </Show>
    </span>
  )
}

function isBroken({ state }: Mailbox): boolean {
  return state === 'failing' || state === 'refused'
}

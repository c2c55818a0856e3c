import { useSearchParams } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import { onMount, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { ActionButton } from '../../forms/action.tsx'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { AccountPage } from '../channel-account.tsx'
import { DetailList, LastError, timeOr } from '../detail-list.tsx'
import { Section } from '../page.tsx'
import { AliasesSection } from './aliases-section.tsx'
import { DkimSection } from './dkim-section.tsx'
import {
  isBroken,
  MAILBOXES_PAGE,
  type Mailbox,
  mailboxes,
  mailCountSentence,
  mailProvidersQuery,
  PLAIN_ANSWERS,
  shownStateOf,
} from './mailbox-data.ts'
import { createMailboxForm, MailboxForm } from './mailbox-form.tsx'
import { inputOf, valuesOf } from './mailbox-values.ts'
import { NewMailbox } from './new-mailbox.tsx'
import { Reconnect } from './reconnect.tsx'

/** How a sign-in at a provider ended, as the server says in the URL. */
const SIGN_IN_OUTCOMES: Record<string, string> = {
  declined: "The sign-in was canceled. The mailbox isn't connected.",
  failed: 'The sign-in failed. The reason is shown with the mailbox.',
  expired: 'The sign-in took too long, or was started in another browser. Sign in again.',
}

/** One mailbox, or the form for a new one when the id is `new`. */
export function MailboxPage(props: { id: string }) {
  return (
    <Show when={props.id !== 'new'} fallback={<NewMailbox />}>
      <StoredMailbox id={props.id} />
    </Show>
  )
}

function StoredMailbox(props: { id: string }) {
  reportSignIn()
  return (
    <AccountPage
      id={props.id}
      noun="mailbox"
      list={MAILBOXES_PAGE}
      accounts={mailboxes}
      route={(id) => api.console.mailboxes({ id })}
      nameOf={({ address }) => address}
      stateOf={shownStateOf}
      saysDetail={(mailbox) => !isBroken(mailbox)}
      marks={({ isDefault }) => isDefault && <Badge>Default</Badge>}
      actions={(mailbox) => <MakeDefault mailbox={mailbox} />}
      canPause={({ state }) => state !== 'refused'}
      removal={({ address }) => ({
        name: address,
        text: 'Tickets and their messages are kept, and so is the mail at your provider.',
        warning:
          "Bellhop stops receiving and sending with this address, and deletes its password and the mail in quarantine. This can't be undone.",
      })}
    >
      {(mailbox) => (
        <>
          <Reconnect mailbox={mailbox()} />
          <Section
            title="Health"
            actions={<ButtonLink href={`/settings/mails?mailbox=${props.id}`}>View received mail</ButtonLink>}
          >
            <Health mailbox={mailbox()} />
          </Section>
          <EditMailbox mailbox={mailbox()} />
          <AliasesSection mailbox={mailbox()} />
          <DkimSection mailbox={mailbox()} />
        </>
      )}
    </AccountPage>
  )
}

/** Says how the sign-in ended that led here, and takes that out of the URL. */
function reportSignIn(): void {
  const [search, setSearch] = useSearchParams()
  onMount(() => {
    const outcome = search['sign-in']
    if (typeof outcome !== 'string') return
    const sentence = SIGN_IN_OUTCOMES[outcome]
    if (sentence) toastError(sentence)
    else toast('Signed in. Bellhop is connecting to the mailbox.')
    setSearch({ 'sign-in': null }, { replace: true })
  })
}

function MakeDefault(props: { mailbox: Mailbox }) {
  return (
    <Show when={!props.mailbox.isDefault}>
      <ActionButton
        run={() => ask(api.console.mailboxes({ id: props.mailbox.id }).default.post())}
        onDone={(mailbox) => {
          mailboxes.show(mailbox)
          return 'New tickets are sent from this address.'
        }}
      >
        Make default
      </ActionButton>
    </Show>
  )
}

/** When mail last came and went, how much there is, and what is wrong. */
function Health(props: { mailbox: Mailbox }) {
  const health = () => props.mailbox.health
  return (
    <DetailList
      items={{
        'Last mail in': timeOr(health().lastReceivedAt, 'None yet'),
        'Last mail out': timeOr(health().lastSentAt, 'None yet'),
        Emails: mailCountSentence(props.mailbox),
        Quarantine: <Quarantine mailbox={props.mailbox} />,
        'Last checked': timeOr(health().lastCheckedAt, 'Not yet'),
        'Last error': (
          <LastError
            errors={[props.mailbox.health.receiveError, props.mailbox.health.sendError]}
            since={props.mailbox.health.failingSince}
          />
        ),
        'Reply address': answersSentence(props.mailbox),
      }}
    />
  )
}

/** How answers find their ticket. */
function answersSentence({ address, hasSubaddresses }: Mailbox): string {
  if (hasSubaddresses === false) return PLAIN_ANSWERS
  const shown = address.replace(/@/, '+…@')
  return hasSubaddresses
    ? `Customers answer replies at ${shown}, which arrives here.`
    : `Customers answer replies at ${shown}. Test the connection to check that this arrives.`
}

function Quarantine(props: { mailbox: Mailbox }) {
  const count = () => props.mailbox.health.quarantined
  return (
    <Show when={count() > 0} fallback="Empty">
      <a href={`/settings/mails?mailbox=${props.mailbox.id}&outcome=quarantined`}>
        {count() === 1 ? '1 email' : `${count()} emails`}
      </a>
    </Show>
  )
}

function EditMailbox(props: { mailbox: Mailbox }) {
  const route = () => api.console.mailboxes({ id: props.mailbox.id })
  const providers = useQuery(() => mailProvidersQuery(''))
  const form = createMailboxForm({
    what: 'the mailbox',
    values: () => {
      // A saved password leaves its field, although nothing else may have changed.
      const { updatedAt: _ } = props.mailbox
      return valuesOf(props.mailbox)
    },
    store: (values) => ask(route().patch(inputOf(values))),
    onStored: (mailbox) => {
      mailboxes.show(mailbox)
      return 'Mailbox saved.'
    },
    test: (values) => ask(route().test.post(inputOf(values))),
  })
  return (
    <Section
      title="Settings"
      text="The test sends two messages from the mailbox to itself. It opens no ticket."
      actions={<DocsLink to="/docs/email#test-the-connection">What the steps mean</DocsLink>}
    >
      <MailboxForm
        form={form}
        mailbox={props.mailbox}
        providers={providers.data?.data ?? []}
        canTest={props.mailbox.isSignedIn}
        action="Save"
        canStore={form.isChanged()}
      />
    </Section>
  )
}

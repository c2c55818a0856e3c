import { useNavigate, useSearchParams } from '@solidjs/router'
import { useMutation, useQuery } from '@tanstack/solid-query'
import { createSignal, onMount, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { createFormState } from '../form-state.ts'
import { Page, Section } from '../page-layout.tsx'
import { PauseButton } from '../pause-button.tsx'
import { QueryView } from '../query-view.tsx'
import { AliasesSection } from './aliases-section.tsx'
import { DkimSection } from './dkim-section.tsx'
import {
  type Mailbox,
  mailboxesChanged,
  mailboxQuery,
  mailProvidersQuery,
  showMailbox,
} from './mailbox-data.ts'
import { MailboxForm } from './mailbox-form.tsx'
import { MailboxHealth, MailboxState } from './mailbox-state.tsx'
import { inputOf, type MailboxValues, valuesOf } from './mailbox-values.ts'
import { NewMailbox } from './new-mailbox.tsx'
import { Reconnect } from './reconnect.tsx'

const LIST = '/settings/email'
const REFETCH_MS = 5_000
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
      <KnownMailbox id={props.id} />
    </Show>
  )
}

function KnownMailbox(props: { id: string }) {
  const query = useQuery(() => ({ ...mailboxQuery(props.id), reconcile: 'id', refetchInterval: REFETCH_MS }))
  reportSignIn()
  return (
    <Page
      title={query.data?.address ?? 'Mailbox'}
      back={{ href: LIST, name: 'Email' }}
      lead={<Show when={query.data}>{(mailbox) => <Lead mailbox={mailbox()} />}</Show>}
      actions={<Show when={query.data}>{(mailbox) => <Actions mailbox={mailbox()} />}</Show>}
    >
      <QueryView query={query} what="the mailbox">
        {(mailbox) => (
          <>
            <Reconnect mailbox={mailbox()} />
            <Section
              title="Health"
              actions={
                <ButtonLink href={`/settings/mails?mailbox=${props.id}`}>View received mail</ButtonLink>
              }
            >
              <MailboxHealth mailbox={mailbox()} />
            </Section>
            <EditMailbox mailbox={mailbox()} />
            <AliasesSection mailbox={mailbox()} />
            <DkimSection mailbox={mailbox()} />
            <RemoveMailbox mailbox={mailbox()} />
          </>
        )}
      </QueryView>
    </Page>
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

function Lead(props: { mailbox: Mailbox }) {
  const isTold = () => ['failing', 'refused'].includes(props.mailbox.state)
  return (
    <>
      <MailboxState mailbox={props.mailbox} />{' '}
      <Show when={props.mailbox.isDefault}>
        <Badge>Default</Badge>
      </Show>{' '}
      <Show when={!isTold()}>{props.mailbox.detail}</Show>
    </>
  )
}

/** Pause, resume, and use for new tickets. */
function Actions(props: { mailbox: Mailbox }) {
  const one = () => api.console.mailboxes({ id: props.mailbox.id })
  const makeDefault = useMutation(() => ({
    mutationFn: () => ask(one().default.post()),
    onSuccess: (mailbox: Mailbox) => {
      showMailbox(mailbox)
      toast('New tickets are sent from this address.')
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  return (
    <>
      <Show when={!props.mailbox.isDefault}>
        <Button isBusy={makeDefault.isPending} onClick={() => makeDefault.mutate()}>
          Make default
        </Button>
      </Show>
      <Show when={props.mailbox.state !== 'refused'}>
        <PauseButton
          item={props.mailbox}
          noun="Mailbox"
          pause={(isPaused) => (isPaused ? ask(one().pause.post()) : ask(one().resume.post()))}
          onChange={showMailbox}
        />
      </Show>
    </>
  )
}

function EditMailbox(props: { mailbox: Mailbox }) {
  const form = createFormState<MailboxValues>('the mailbox', () => {
    // A saved password leaves its field, although nothing else may have changed.
    const { updatedAt: _ } = props.mailbox
    return valuesOf(props.mailbox)
  })
  const providers = useQuery(() => mailProvidersQuery(''))
  const one = () => api.console.mailboxes({ id: props.mailbox.id })
  function onStored(mailbox: Mailbox) {
    showMailbox(mailbox)
    toast('Mailbox saved.')
  }
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
        store={(values) => ask(one().patch(inputOf(values)))}
        onStored={onStored}
        test={(values) => ask(one().test.post(inputOf(values)))}
        canTest={props.mailbox.isSignedIn}
        action="Save"
        canStore={form.isChanged()}
      />
    </Section>
  )
}

/** Removes a mailbox permanently, after a confirmation. */
function RemoveMailbox(props: { mailbox: Mailbox }) {
  const [isAsking, setAsking] = createSignal(false)
  const navigate = useNavigate()
  const remove = async () => {
    const { id, address } = props.mailbox
    await ask(api.console.mailboxes({ id }).delete())
    mailboxesChanged()
    toast(`Removed ${address}.`)
    navigate(LIST)
  }
  return (
    <Section title="Remove" text="Tickets and their messages are kept, and so is the mail at your provider.">
      <div>
        <Button onClick={() => setAsking(true)}>Remove mailbox…</Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title={`Remove ${props.mailbox.address}?`}
        text="Bellhop stops receiving and sending with this address, and deletes its password and the mail in quarantine. This can't be undone."
        word="remove"
        action="Remove mailbox"
        onConfirm={remove}
      />
    </Section>
  )
}

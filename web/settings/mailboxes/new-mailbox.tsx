import { useNavigate } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { useSession } from '../../api/session.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Page } from '../page.tsx'
import { MAILBOXES_PAGE, mailboxes, mailProvidersQuery, openSignIn, PROVIDER_NAMES } from './mailbox-data.ts'
import { createMailboxForm, MailboxForm } from './mailbox-form.tsx'
import {
  importSinceOf,
  inputOf,
  type MailboxValues,
  newMailboxValues,
  serverValues,
} from './mailbox-values.ts'
import { useHasClient } from './oauth-clients.tsx'

const LIST = MAILBOXES_PAGE.href
/** People pause at the end of the address. */
const LOOK_UP_AFTER_MS = 400
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/

/** Connects a mailbox. What is known about the provider of its address is filled in. */
export function NewMailbox() {
  const session = useSession()
  const navigate = useNavigate()
  const inputWithImport = (values: MailboxValues) => ({
    ...inputOf(values),
    importSince: importSinceOf(values),
  })
  const form = createMailboxForm({
    what: 'the new mailbox',
    values: () => newMailboxValues(session().organization.name),
    store: (values, learned) =>
      ask(
        api.console.mailboxes.post({
          ...inputWithImport(values),
          hasSubaddresses: learned?.hasSubaddresses ?? null,
          authservId: values.authservId || (learned?.authservId ?? ''),
        }),
      ),
    async onStored(mailbox) {
      mailboxes.show(mailbox)
      if (mailbox.signIn === 'password') toast(`Added ${mailbox.address}.`)
      // If this fails, the page of the mailbox offers the sign-in again.
      else await openSignIn(mailbox.id, '').catch(() => undefined)
      navigate(`${LIST}/${mailbox.id}`)
    },
    test: (values) => ask(api.console.mailboxes.test.post(inputWithImport(values))),
  })
  const providers = useProviders(form.values, form.set)
  const oauth = () => (form.values.signIn === 'password' ? undefined : form.values.signIn)
  const hasClient = useHasClient(oauth)
  const action = () => {
    const provider = oauth()
    return provider ? `Continue to ${PROVIDER_NAMES[provider]}` : 'Add mailbox'
  }
  return (
    <Page title="Add mailbox" back={MAILBOXES_PAGE}>
      <MailboxForm
        form={form}
        providers={providers.all()}
        provider={providers.match()}
        canTest={oauth() === undefined}
        action={action()}
        canStore={oauth() === undefined || hasClient() === true}
        beside={
          <ButtonLink look="quiet" href={LIST}>
            Cancel
          </ButtonLink>
        }
      />
    </Page>
  )
}

/**
 * The known providers and the one of the address. Its servers are filled in and follow the address, unless others were
 * typed: the password of one provider must not go to another.
 */
function useProviders(values: MailboxValues, set: (change: Partial<MailboxValues>) => void) {
  const [address, setAddress] = createSignal('')
  createEffect(
    on(
      () => values.address.trim(),
      (typed) => {
        const timer = setTimeout(() => setAddress(ADDRESS.test(typed) ? typed : ''), LOOK_UP_AFTER_MS)
        onCleanup(() => clearTimeout(timer))
      },
    ),
  )
  const all = useQuery(() => mailProvidersQuery(''))
  const found = useQuery(() => ({ ...mailProvidersQuery(address()), enabled: address() !== '' }))
  const domain = createMemo(() => domainOf(values.address))
  const match = createMemo(() =>
    domainOf(address()) === domain()
      ? found.data?.data.find(({ id }) => id === found.data?.match)
      : undefined,
  )
  const { imapHost, imapPort, imapSecurity, smtpHost, smtpPort, smtpSecurity, signIn } = newMailboxValues('')
  const none = { imapHost, imapPort, imapSecurity, smtpHost, smtpPort, smtpSecurity, signIn }
  let filled = serversOf(values)
  createEffect(
    on(
      [domain, match],
      ([, provider]) => {
        if (serversOf(values) !== filled) return
        set(provider ? { ...serverValues(provider), signIn: provider.signIn } : none)
        filled = serversOf(values)
      },
      { defer: true },
    ),
  )
  return { all: () => all.data?.data ?? [], match }
}

function domainOf(address: string): string {
  const typed = address.trim().toLowerCase()
  return typed.slice(typed.lastIndexOf('@') + 1)
}

function serversOf({ imapHost, imapPort, smtpHost, smtpPort }: MailboxValues): string {
  return [imapHost, imapPort, smtpHost, smtpPort].join(' ')
}

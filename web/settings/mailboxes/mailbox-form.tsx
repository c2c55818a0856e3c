import { useMutation } from '@tanstack/solid-query'
import { createSignal, type JSX, Match, Show, Switch } from 'solid-js'
import { faultAt } from '../../api/api-problem.ts'
import { createForm } from '../../forms/create-form.ts'
import { CardForm } from '../../forms/form.tsx'
import { PasswordField } from '../../forms/password-field.tsx'
import { Button } from '../../ui/button.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Disclosure } from '../disclosure.tsx'
import { type ConnectionTest, TestResult } from './connection-test.tsx'
import {
  type Mailbox,
  type MailProvider,
  type OauthProvider,
  PROVIDER_NAMES,
  type SignIn,
} from './mailbox-data.ts'
import { OptionFields, ServerFields } from './mailbox-fields.tsx'
import { type MailboxValues, placeOf, serverValues, withAddressFault } from './mailbox-values.ts'
import { MissingClient } from './oauth-clients.tsx'
import './mailboxes.css'

const SIGN_INS: { value: SignIn; label: string }[] = [
  { value: 'password', label: 'Password' },
  { value: 'google', label: 'Google' },
  { value: 'microsoft', label: 'Microsoft' },
]
/** The fields in each group, by their names in the request body. */
const SERVERS = ['imap/host', 'imap/port', 'imap/user', 'smtp']
const OPTIONS = [
  'folders',
  'sentFolder',
  'importSince',
  'defaultAssignee',
  'signature',
  'autoReply',
  'authservId',
]

interface MailboxFormOptions {
  what: string
  values: () => MailboxValues
  /** `learned` is what a test of the same servers found out. */
  store: (values: MailboxValues, learned: ConnectionTest['learned'] | undefined) => Promise<Mailbox>
  onStored: (mailbox: Mailbox) => unknown
  test: (values: MailboxValues) => Promise<ConnectionTest>
}

/** The settings of a mailbox. They can be tested before they are stored. */
export function createMailboxForm(options: MailboxFormOptions) {
  const [testError, setTestError] = createSignal<unknown>()
  /** What the last test found out, and of which servers. */
  const [tested, setTested] = createSignal<ConnectionTest & { place: string }>()
  const form = createForm({
    what: options.what,
    values: options.values,
    save: (values) => {
      setTestError(undefined)
      const learned = tested()?.place === placeOf(values) ? tested()?.learned : undefined
      return options.store(values, learned).catch((error: unknown) => {
        throw withAddressFault(error)
      })
    },
    onSaved: options.onStored,
    otherError: testError,
  })
  const test = useMutation(() => ({
    mutationFn: async () => {
      const place = placeOf(form.values)
      return { ...(await options.test(form.values)), place }
    },
    onMutate: () => {
      setTestError(undefined)
      form.submit.reset()
    },
    onSuccess: setTested,
    onError: (error: unknown) => void setTestError(withAddressFault(error)),
  }))
  return { ...form, test }
}

interface MailboxFormProps {
  form: ReturnType<typeof createMailboxForm>
  /** Undefined for a new one. */
  mailbox?: Mailbox
  providers: readonly MailProvider[]
  /** The provider that the address belongs to. */
  provider?: MailProvider | undefined
  /** Before the first sign-in at a provider there is nothing to test. */
  canTest: boolean
  /** The text of the button that stores. */
  action: string
  canStore: boolean
  /** After the buttons. */
  beside?: JSX.Element
}

/** The address first, then how to sign in. Servers and options are folded away. */
export function MailboxForm(props: MailboxFormProps) {
  const test = () => props.form.test
  const hasFaultIn = (fields: string[]) =>
    fields.some((field) => faultAt(props.form.error(), field) !== undefined)
  return (
    <>
      <CardForm
        form={props.form}
        action={props.action}
        isUnchanged={!props.canStore}
        beside={
          <>
            <Show when={props.canTest}>
              <Button isBusy={test().isPending} onClick={() => test().mutate()}>
                Test connection
              </Button>
            </Show>
            {props.beside}
          </>
        }
      >
        <div class="form-columns">
          <TextField
            {...props.form.text('address')}
            label="Email address"
            // Not of the type "email": Chromium takes only ASCII there, and shows a domain in ASCII.
            inputmode="email"
            hint="The address your customers write to."
            placeholder="support@example.com"
            isVerbatim
            required
          />
          <TextField
            {...props.form.text('name')}
            label="Name"
            hint="Shown to customers as the sender."
            autocomplete="off"
            required
          />
        </div>
        <SignInFields {...props} />
        <Show when={props.form.values.signIn === 'password'}>
          <FieldGroup
            title="Servers"
            text={serversText(props.form.values)}
            isNeeded={isServerMissing(props) || hasFaultIn(SERVERS)}
          >
            <ServerFields
              form={props.form}
              providers={props.providers}
              hasSmtpPassword={props.mailbox?.hasSmtpPassword ?? false}
            />
          </FieldGroup>
        </Show>
        <FieldGroup
          title="Options"
          text="Folders, assignee, signature, automatic reply, and more"
          isNeeded={hasFaultIn(OPTIONS)}
        >
          <OptionFields
            form={props.form}
            folders={test().data?.folders ?? []}
            isNew={props.mailbox === undefined}
          />
        </FieldGroup>
      </CardForm>
      <Show when={test().isPending}>
        <p class="muted" role="status">
          Testing. The test message can take a minute to arrive.
        </p>
      </Show>
      <Show when={!test().isPending && test().data}>
        {(result) => (
          <div class="card">
            <TestResult test={result()} />
          </div>
        )}
      </Show>
    </>
  )
}

interface FieldGroupProps {
  title: string
  /** What is inside, in a few words: the values while it is closed. */
  text: string
  /** Something in it is wrong or missing. */
  isNeeded: boolean
  children: JSX.Element
}

/** Fields that are folded away until they are needed. */
function FieldGroup(props: FieldGroupProps) {
  return (
    <Disclosure
      class="mailbox-form-group"
      isOpen={props.isNeeded}
      summary={
        <span>
          <span class="entry-title">{props.title}</span>
          <span class="field-hint">{props.text}</span>
        </span>
      }
    >
      <div class="stack">{props.children}</div>
    </Disclosure>
  )
}

function SignInFields(props: Pick<MailboxFormProps, 'form' | 'mailbox' | 'providers' | 'provider'>) {
  const values = () => props.form.values
  const password = props.form.text('password', 'imap/password')
  const smtpError = props.form.errorAt('smtp/password')
  const isStored = () => props.mailbox?.signIn === 'password'
  function choose(signIn: SignIn) {
    const provider = signIn === 'password' ? undefined : props.providers.find(({ id }) => id === signIn)
    props.form.set({ signIn, ...(provider && serverValues(provider)) })
  }
  return (
    <>
      <div class="stack-tight">
        <p class="mailbox-form-label" aria-hidden="true">
          Sign in with
        </p>
        <SegmentedControl label="Sign in with" options={SIGN_INS} value={values().signIn} onChange={choose} />
        <Show when={props.provider}>{(provider) => <ProviderNote provider={provider()} />}</Show>
      </div>
      <Switch>
        <Match when={values().signIn === 'password'}>
          <PasswordField
            label="Password"
            name="mailbox-password"
            autocomplete="new-password"
            hint={
              isStored()
                ? 'Leave empty to keep the stored one.'
                : "The mailbox's password, or an app password. Stored encrypted."
            }
            isOptional={isStored()}
            value={password.value}
            onInput={password.onInput}
            // It is that of the other server too, unless that has one of its own.
            error={password.error ?? (values().smtpSignIn === 'same' ? smtpError() : undefined)}
          />
        </Match>
        {/* A stored mailbox offers the sign-in above the form. */}
        <Match when={props.mailbox?.signIn !== values().signIn && oauthOf(values())}>
          {(provider) => (
            <MissingClient
              provider={provider()}
              fallback={<p class="muted">You sign in at {PROVIDER_NAMES[provider()]} in the next step.</p>}
            />
          )}
        </Match>
      </Switch>
    </>
  )
}

function ProviderNote(props: { provider: MailProvider }) {
  return (
    <Show when={props.provider.note}>
      {(note) => (
        <p class="muted">
          {props.provider.name}: {note()}{' '}
          <Show when={props.provider.link}>
            {(link) => (
              <a href={link()} target="_blank" rel="noreferrer">
                Open {props.provider.name}
              </a>
            )}
          </Show>
        </p>
      )}
    </Show>
  )
}

function serversText({ imapHost, smtpHost }: MailboxValues): string {
  if (imapHost && smtpHost) return imapHost === smtpHost ? imapHost : `${imapHost}, ${smtpHost}`
  return 'Where mail is received and sent'
}

/** Unfolds the servers if the provider of the address isn't known. */
function isServerMissing({ form: { values }, provider, mailbox }: MailboxFormProps): boolean {
  const isAddress = /@[^@\s]+\.[^@\s]{2,}$/.test(values.address)
  return !mailbox && isAddress && !provider && values.password !== '' && values.imapHost === ''
}

function oauthOf({ signIn }: MailboxValues): OauthProvider | undefined {
  return signIn === 'password' ? undefined : signIn
}

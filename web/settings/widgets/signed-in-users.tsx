import CircleCheck from 'lucide-solid/icons/circle-check'
import { createSignal, Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { SavedSwitch } from '../../forms/action.tsx'
import { ConfirmButton } from '../../forms/confirm-dialog.tsx'
import { createForm } from '../../forms/create-form.ts'
import { CardForm } from '../../forms/form.tsx'
import { announce } from '../../ui/announcer.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { shortTime } from '../detail-list.tsx'
import { Section } from '../page.tsx'
import { SecretDialog, SecretOnce } from '../secret.tsx'
import { saveWidget, type Widget, widgets } from './widget-data.ts'

type Check = Answer<ReturnType<typeof api.console.widgets>['check-identity']['post']>

const KINDS = [
  { value: 'jwt', label: 'JWT' },
  { value: 'hash', label: 'User hash' },
] as const

/** Users whom the website has signed in: the secret that proves it, and a check of what the website sends. */
export function SignedInUsers(props: { widget: Widget }) {
  return (
    <Section
      title="Signed-in users"
      text="Your website can tell the widget who the user is, signed with the identity secret. Users then see their conversations on every device, and you know it's them."
      actions={<DocsLink to="/docs/widget#identify-users">How to sign users</DocsLink>}
    >
      <div class="card">
        <SavedSwitch
          label="Only signed-in users can write"
          hint="Others don't see the widget."
          isChecked={props.widget.verifiedOnly}
          save={async (verifiedOnly) => widgets.show(await saveWidget(props.widget.id, { verifiedOnly }))}
        />
        <IdentitySecret widget={props.widget} />
      </div>
      <CheckToken widget={props.widget} />
    </Section>
  )
}

function IdentitySecret(props: { widget: Widget }) {
  const [secret, setSecret] = createSignal<string>()
  const create = async () => {
    const { id } = props.widget
    const answer = await ask(api.console.widgets({ id })['identity-secret'].post())
    widgets.show(answer.widget)
    setSecret(answer.identitySecret)
  }
  const previousUntil = () => {
    const { previousSecretUntil: until } = props.widget
    return until !== null && Date.parse(until) > Date.now() ? until : undefined
  }
  return (
    <>
      <div class="row">
        <ConfirmButton
          label="Create identity secret…"
          title="Create a new identity secret?"
          text={
            previousUntil()
              ? 'The current secret is accepted for another 24 hours. The one before it stops working now.'
              : 'If your website uses the current secret, it is accepted for another 24 hours.'
          }
          action="Create secret"
          onConfirm={create}
        />
        <Show when={previousUntil()}>
          {(until) => (
            <span class="muted small">The previous one is accepted until {shortTime(until())}.</span>
          )}
        </Show>
      </div>
      <SecretDialog
        isOpen={secret() !== undefined}
        title="Save your identity secret"
        onDone={() => setSecret(undefined)}
      >
        <SecretOnce
          label="Identity secret"
          secret={secret() ?? ''}
          text="Keep it on your server, never in a page. Anyone who has it can write as any user."
        />
      </SecretDialog>
    </>
  )
}

function CheckToken(props: { widget: Widget }) {
  const [kind, setKind] = createSignal<(typeof KINDS)[number]['value']>('jwt')
  const form = createForm({
    values: () => ({ jwt: '', userId: '', userHash: '' }),
    save: ({ jwt, userId, userHash }): Promise<Check> => {
      const body = kind() === 'jwt' ? { jwt } : { userId, userHash }
      return ask(api.console.widgets({ id: props.widget.id })['check-identity'].post(body))
    },
    // A fault is an alert already.
    onSaved: ({ isValid, detail }) => {
      if (isValid) announce(detail)
    },
    isUnsaved: () => false,
  })
  return (
    <CardForm form={form} action="Check" isUnchanged={false}>
      <div class="page-section-head">
        <p>Check what your website sends. It isn't stored.</p>
        <SegmentedControl
          label="Proof type"
          options={KINDS}
          value={kind()}
          onChange={(chosen) => {
            setKind(chosen)
            form.submit.reset()
          }}
        />
      </div>
      <Show
        when={kind() === 'jwt'}
        fallback={
          <div class="form-columns">
            <TextField {...form.text('userId')} label="User id" autocomplete="off" required />
            <TextField
              {...form.text('userHash')}
              label="User hash"
              class="mono"
              autocomplete="off"
              required
            />
          </div>
        }
      >
        <TextArea {...form.text('jwt')} label="JWT" class="mono" rows={3} spellcheck={false} required />
      </Show>
      <Show when={form.submit.data}>{(result) => <CheckResult result={result()} />}</Show>
    </CardForm>
  )
}

function CheckResult(props: { result: Check }) {
  return (
    <Show when={props.result.isValid} fallback={<ErrorText>{props.result.detail}</ErrorText>}>
      <p class="signed-in-users-valid">
        <CircleCheck size={14} /> {props.result.detail} User {props.result.user?.id}
        <Show when={props.result.user?.name}>, {props.result.user?.name}</Show>
        <Show when={props.result.user?.email}>, {props.result.user?.email}</Show>
      </p>
    </Show>
  )
}

import { useMutation } from '@tanstack/solid-query'
import CircleCheck from 'lucide-solid/icons/circle-check'
import { createSignal, Show } from 'solid-js'
import { createStore } from 'solid-js/store'
import { type Answer, api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { CardForm } from '../../forms/form.tsx'
import { announce } from '../../ui/announcer.tsx'
import { Button } from '../../ui/button.tsx'
import { Switch } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { toastError } from '../../ui/toaster.tsx'
import { Section } from '../page-layout.tsx'
import { SecretOnce } from '../secret-once.tsx'
import { shortTime } from '../timestamp.tsx'
import { saveWidget, showWidget, type Widget } from './widget-data.ts'
import './signed-in-users.css'

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
        <VerifiedOnly widget={props.widget} />
        <IdentitySecret widget={props.widget} />
      </div>
      <CheckToken widget={props.widget} />
    </Section>
  )
}

function VerifiedOnly(props: { widget: Widget }) {
  // Shown at once; if saving fails, the switch goes back.
  const [chosen, setChosen] = createSignal<boolean>()
  const save = useMutation(() => ({
    mutationFn: (verifiedOnly: boolean) => saveWidget(props.widget.id, { verifiedOnly }),
    onMutate: setChosen,
    onSuccess: showWidget,
    onError: (error) => toastError(errorMessage(error)),
    onSettled: () => setChosen(undefined),
  }))
  return (
    <Switch
      label="Only signed-in users can write"
      hint="Others don't see the widget."
      isChecked={chosen() ?? props.widget.verifiedOnly}
      onChange={(isOn) => save.mutate(isOn)}
    />
  )
}

function IdentitySecret(props: { widget: Widget }) {
  const [isAsking, setAsking] = createSignal(false)
  const [secret, setSecret] = createSignal<string>()
  const create = async () => {
    const { id } = props.widget
    const answer = await ask(api.console.widgets({ id })['identity-secret'].post())
    showWidget(answer.widget)
    setSecret(answer.identitySecret)
  }
  const previousUntil = () => {
    const { previousSecretUntil: until } = props.widget
    return until !== null && Date.parse(until) > Date.now() ? until : undefined
  }
  return (
    <>
      <div class="card-foot">
        <Button onClick={() => setAsking(true)}>Create identity secret…</Button>
        <Show when={previousUntil()}>
          {(until) => (
            <span class="muted small">The previous one is accepted until {shortTime(until())}.</span>
          )}
        </Show>
      </div>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title="Create a new identity secret?"
        text={
          previousUntil()
            ? 'The current secret is accepted for another 24 hours. The one before it stops working now.'
            : 'If your website uses the current secret, it is accepted for another 24 hours.'
        }
        action="Create secret"
        onConfirm={create}
      />
      <Dialog
        isOpen={secret() !== undefined}
        title="Save your identity secret"
        footer={
          <Button look="primary" onClick={() => setSecret(undefined)}>
            I've saved it
          </Button>
        }
      >
        <SecretOnce
          label="Identity secret"
          secret={secret() ?? ''}
          text="Keep it on your server, never in a page. Anyone who has it can write as any user."
        />
      </Dialog>
    </>
  )
}

function CheckToken(props: { widget: Widget }) {
  const [kind, setKind] = createSignal<(typeof KINDS)[number]['value']>('jwt')
  const [values, setValues] = createStore({ jwt: '', userId: '', userHash: '' })
  const check = useMutation(() => ({
    mutationFn: () => {
      const { jwt, userId, userHash } = values
      const body = kind() === 'jwt' ? { jwt } : { userId, userHash }
      return ask(api.console.widgets({ id: props.widget.id })['check-identity'].post(body))
    },
    // A fault is an alert already.
    onSuccess: ({ isValid, detail }: Check) => isValid && announce(detail),
  }))
  return (
    <CardForm save={check} fields={[]} action="Check">
      <div class="page-layout-section-head">
        <p>Check what your website sends. It isn't stored.</p>
        <SegmentedControl
          label="Proof type"
          options={KINDS}
          value={kind()}
          onChange={(chosen) => {
            setKind(chosen)
            check.reset()
          }}
        />
      </div>
      <Show
        when={kind() === 'jwt'}
        fallback={
          <div class="form-columns">
            <TextField
              label="User id"
              value={values.userId}
              onInput={(userId) => setValues({ userId })}
              autocomplete="off"
              required
            />
            <TextField
              label="User hash"
              class="mono"
              value={values.userHash}
              onInput={(userHash) => setValues({ userHash })}
              autocomplete="off"
              required
            />
          </div>
        }
      >
        <TextArea
          label="JWT"
          class="mono"
          rows={3}
          spellcheck={false}
          value={values.jwt}
          onInput={(jwt) => setValues({ jwt })}
          required
        />
      </Show>
      <Show when={check.data}>{(result) => <CheckResult result={result()} />}</Show>
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

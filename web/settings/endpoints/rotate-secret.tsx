import { useMutation } from '@tanstack/solid-query'
import { createSignal, Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { exactTime } from '../../ui/relative-time.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Section } from '../page.tsx'
import { type Endpoint, showEndpoint } from './endpoint-data.ts'
import { SigningSecret } from './signing-secret.tsx'

type Step = 'stage' | 'promote' | 'cancel' | 'rotate'

const DONE = {
  promote: 'The new secret signs from now on.',
  cancel: 'The new secret is forgotten.',
} as const

/** Replaces the signing secret: in two steps without a gap, or at once. */
export function RotateSecret(props: { endpoint: Endpoint }) {
  const [secret, setSecret] = createSignal<string>()
  const [isAsking, setAsking] = createSignal(false)
  const take = (step: Step, force = false) =>
    ask(api.console.endpoints({ id: props.endpoint.id }).secret.post({ step, ...(force && { force }) }))
  const step = useMutation(() => ({
    mutationFn: (name: Exclude<Step, 'rotate'>) => take(name),
    onSuccess: (answer: Awaited<ReturnType<typeof take>>, name: Exclude<Step, 'rotate'>) => {
      showEndpoint(answer.endpoint)
      if (name === 'stage') setSecret(answer.secret)
      else toast(DONE[name])
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  const oldUntil = () => endOf(props.endpoint)
  const rotate = async () => {
    const answer = await take('rotate', oldUntil() !== undefined)
    showEndpoint(answer.endpoint)
    setSecret(answer.secret)
  }

  return (
    <Section
      title="Signing secret"
      text="It is never shown again. Replace it when it may have leaked, or when somebody who knew it has left."
      actions={<DocsLink to="/docs/webhooks#rotate-secrets">How to rotate secrets</DocsLink>}
    >
      <div class="card">
        <Switch>
          <Match when={props.endpoint.hasStagedSecret}>
            <p>
              <strong>A new secret is staged.</strong> It signs <span class="mono">webhook-signature</span>{' '}
              beside the present one; <span class="mono">X-Service-Signature</span> is still made with the
              present one. Promote it as soon as your receiver accepts both.
            </p>
            <div class="card-foot">
              <Button look="primary" isBusy={step.isPending} onClick={() => step.mutate('promote')}>
                Promote the new secret
              </Button>
              <Button disabled={step.isPending} onClick={() => step.mutate('cancel')}>
                Forget it
              </Button>
            </div>
          </Match>
          <Match when={true}>
            <p>
              Without a gap: stage a new secret, let your receiver accept both, then promote the new one. At
              once: the new one signs from the next delivery on, and the old one signs only{' '}
              <span class="mono">webhook-signature</span>, for 24 hours more.
            </p>
            <div class="card-foot">
              <Button isBusy={step.isPending} onClick={() => step.mutate('stage')}>
                Stage a new secret
              </Button>
              <Button disabled={step.isPending} onClick={() => setAsking(true)}>
                Replace it at once…
              </Button>
            </div>
          </Match>
        </Switch>
        <Show when={oldUntil()}>
          {(until) => (
            <p class="muted small">
              The secret before this one still signs <span class="mono">webhook-signature</span>, until{' '}
              {exactTime(until())}.
            </p>
          )}
        </Show>
      </div>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title="Replace the secret at once?"
        text={warning(oldUntil())}
        action="Replace secret"
        onConfirm={rotate}
      />
      <Dialog
        isOpen={secret() !== undefined}
        title="Keep the new signing secret"
        size="wide"
        footer={
          <Button look="primary" onClick={() => setSecret(undefined)}>
            I have kept it
          </Button>
        }
      >
        <SigningSecret secret={secret() ?? ''} />
      </Dialog>
    </Section>
  )
}

function endOf({ previousSecretUntil }: Endpoint): string | undefined {
  if (previousSecretUntil === null) return undefined
  return Date.parse(previousSecretUntil) > Date.now() ? previousSecretUntil : undefined
}

function warning(oldUntil: string | undefined): string {
  const start = 'A receiver that checks X-Service-Signature refuses deliveries until it has the new secret.'
  return oldUntil ? `${start} The secret before this one, which still signs, ends now.` : start
}

import { useMutation } from '@tanstack/solid-query'
import { createSignal, Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Section } from '../page-layout.tsx'
import { shortTime } from '../timestamp.tsx'
import { type Endpoint, showEndpoint } from './endpoint-data.ts'
import { SigningSecret } from './signing-secret.tsx'

type Step = 'stage' | 'promote' | 'cancel' | 'rotate'

const DONE = {
  promote: 'The new secret is now in use.',
  cancel: 'New secret discarded.',
} as const

/** Replaces the signing secret: in two steps without downtime, or immediately. */
export function RotateSecret(props: { endpoint: Endpoint }) {
  const [secret, setSecret] = createSignal<string>()
  const [isAsking, setAsking] = createSignal(false)
  const rotateStep = (step: Step, force = false) =>
    ask(api.console.endpoints({ id: props.endpoint.id }).secret.post({ step, ...(force && { force }) }))
  const step = useMutation(() => ({
    mutationFn: (name: Exclude<Step, 'rotate'>) => rotateStep(name),
    onSuccess: (answer: Awaited<ReturnType<typeof rotateStep>>, name: Exclude<Step, 'rotate'>) => {
      showEndpoint(answer.endpoint)
      if (name === 'stage') setSecret(answer.secret)
      else toast(DONE[name])
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  const oldUntil = () => endOf(props.endpoint)
  const rotate = async () => {
    const answer = await rotateStep('rotate', oldUntil() !== undefined)
    showEndpoint(answer.endpoint)
    setSecret(answer.secret)
  }

  return (
    <Section
      title="Signing secret"
      text="Replace it if it may have leaked, or when someone who knew it leaves. It is never shown again."
      actions={<DocsLink to="/docs/webhooks#rotate-secrets">How to rotate secrets</DocsLink>}
    >
      <div class="card">
        <Switch>
          <Match when={props.endpoint.hasStagedSecret}>
            <p>
              <strong>A new secret is staged.</strong> Both secrets sign{' '}
              <span class="mono">webhook-signature</span>; only the current one signs{' '}
              <span class="mono">X-Service-Signature</span>. Promote the new one once your receiver accepts
              both.
            </p>
            <div class="card-foot">
              <Button look="primary" isBusy={step.isPending} onClick={() => step.mutate('promote')}>
                Promote new secret
              </Button>
              <Button disabled={step.isPending} onClick={() => step.mutate('cancel')}>
                Discard
              </Button>
            </div>
          </Match>
          <Match when={true}>
            <p>
              No downtime: stage a new secret, let your receiver accept both, then promote it. Immediately:
              the new secret signs all further deliveries, and the old one signs only{' '}
              <span class="mono">webhook-signature</span> for another 24 hours.
            </p>
            <div class="card-foot">
              <Button isBusy={step.isPending} onClick={() => step.mutate('stage')}>
                Stage new secret
              </Button>
              <Button disabled={step.isPending} onClick={() => setAsking(true)}>
                Replace now…
              </Button>
            </div>
          </Match>
        </Switch>
        <Show when={oldUntil()}>
          {(until) => (
            <p class="muted small">
              The previous secret still signs <span class="mono">webhook-signature</span> until{' '}
              {shortTime(until())}.
            </p>
          )}
        </Show>
      </div>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title="Replace the secret now?"
        text={warning(oldUntil())}
        action="Replace secret"
        onConfirm={rotate}
      />
      <Dialog
        isOpen={secret() !== undefined}
        title="Save your new signing secret"
        size="wide"
        footer={
          <Button look="primary" onClick={() => setSecret(undefined)}>
            I've saved it
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
  const start =
    'A receiver that checks X-Service-Signature will reject deliveries until it has the new secret.'
  return oldUntil ? `${start} The previous secret stops signing now.` : start
}

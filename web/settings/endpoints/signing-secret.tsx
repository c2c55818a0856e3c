import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { useAction } from '../../forms/action.tsx'
import { ConfirmButton } from '../../forms/confirm-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { CodeBlock } from '../code-block.tsx'
import { shortTime } from '../detail-list.tsx'
import { Section } from '../page.tsx'
import { SecretDialog, SecretOnce } from '../secret.tsx'
import { type Endpoint, endpoints } from './endpoint-data.ts'

type Step = 'stage' | 'promote' | 'cancel'

const DONE = { promote: 'The new secret is now in use.', cancel: 'New secret discarded.', stage: undefined }
const LANGUAGES = [
  { value: 'node', label: 'Node' },
  { value: 'python', label: 'Python' },
] as const
type Language = (typeof LANGUAGES)[number]['value']

const VERIFY: Record<Language, string> = {
  node: [
    "const expected = Buffer.from('sha256=' + createHmac('sha256', SIGNING_SECRET).update(rawBody).digest('hex'))",
    "const isGenuine = signature.length === expected.length && timingSafeEqual(Buffer.from(signature, 'latin1'), expected)",
  ].join('\n'),
  python: [
    'expected = "sha256=" + hmac.new(SIGNING_SECRET.encode(), raw_body, hashlib.sha256).hexdigest()',
    'is_genuine = hmac.compare_digest(signature.encode(), expected.encode())',
  ].join('\n'),
}

/** Replaces the signing secret: in two steps without downtime, or immediately. */
export function RotateSecret(props: { endpoint: Endpoint }) {
  const [secret, setSecret] = createSignal<string>()
  const route = () => api.console.endpoints({ id: props.endpoint.id }).secret
  const step = useAction(
    (name: Step) => ask(route().post({ step: name })),
    (answer, name) => {
      endpoints.show(answer.endpoint)
      if (name === 'stage') setSecret(answer.secret)
      return DONE[name]
    },
  )
  const oldUntil = () => endOf(props.endpoint)
  const rotate = async () => {
    const answer = await ask(route().post({ step: 'rotate', ...(oldUntil() && { force: true }) }))
    endpoints.show(answer.endpoint)
    setSecret(answer.secret)
  }

  return (
    <Section
      title="Signing secret"
      text="Replace it if it may have leaked, or when someone who knew it leaves. It is never shown again."
      actions={<DocsLink to="/docs/webhooks#rotate-secrets">How to rotate secrets</DocsLink>}
    >
      <div class="card">
        <Show
          when={props.endpoint.hasStagedSecret}
          fallback={
            <>
              <p>
                No downtime: stage a new secret, let your receiver accept both, then promote it. Immediately:
                the new secret signs all further deliveries, and the old one signs only{' '}
                <span class="mono">webhook-signature</span> for another 24 hours.
              </p>
              <div class="row">
                <Button isBusy={step.isPending} onClick={() => step.mutate('stage')}>
                  Stage new secret
                </Button>
                <ConfirmButton
                  label="Replace now…"
                  disabled={step.isPending}
                  title="Replace the secret now?"
                  text={warning(oldUntil())}
                  action="Replace secret"
                  onConfirm={rotate}
                />
              </div>
            </>
          }
        >
          <p>
            <strong>A new secret is staged.</strong> Both secrets sign{' '}
            <span class="mono">webhook-signature</span>; only the current one signs{' '}
            <span class="mono">X-Service-Signature</span>. Promote the new one once your receiver accepts
            both.
          </p>
          <div class="row">
            <Button look="primary" isBusy={step.isPending} onClick={() => step.mutate('promote')}>
              Promote new secret
            </Button>
            <Button disabled={step.isPending} onClick={() => step.mutate('cancel')}>
              Discard
            </Button>
          </div>
        </Show>
        <Show when={oldUntil()}>
          {(until) => (
            <p class="muted small">
              The previous secret still signs <span class="mono">webhook-signature</span> until{' '}
              {shortTime(until())}.
            </p>
          )}
        </Show>
      </div>
      <SecretDialog
        isOpen={secret() !== undefined}
        title="Save your new signing secret"
        size="wide"
        onDone={() => setSecret(undefined)}
      >
        <SigningSecret secret={secret() ?? ''} />
      </SecretDialog>
    </Section>
  )
}

/** A signing secret, shown once, and the two lines of code that verify a signature. */
export function SigningSecret(props: { secret: string }) {
  const [language, setLanguage] = createSignal<Language>('node')
  return (
    <div class="stack">
      <SecretOnce
        label="Signing secret"
        secret={props.secret}
        text="Your receiver uses it to verify deliveries."
      />
      <div class="stack-tight">
        <div class="page-section-head">
          <p>
            Verify each delivery in two lines. <span class="mono">signature</span> is the header{' '}
            <span class="mono">X-Service-Signature</span>.
          </p>
          <SegmentedControl label="Language" options={LANGUAGES} value={language()} onChange={setLanguage} />
        </div>
        <CodeBlock label="Code" code={VERIFY[language()]} />
        <p class="muted small">
          Use the raw bytes of the body, before any parsing, and return 401 if the signature differs. For
          complete receivers, see <DocsLink to="/docs/webhooks#verify-signatures">Verify signatures</DocsLink>
          .
        </p>
      </div>
    </div>
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

import { createSignal } from 'solid-js'
import { DocsLink } from '../../ui/docs-link.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { CodeBlock } from '../code-block.tsx'
import { SecretOnce } from '../secret-once.tsx'

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
        <div class="page-layout-section-head">
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

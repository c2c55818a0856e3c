import TriangleAlert from 'lucide-solid/icons/triangle-alert'
import { CopyButton } from '../ui/copy-button.tsx'
import './secret-once.css'

interface SecretOnceProps {
  /** "Secret key". */
  label: string
  secret: string
  /** Where to keep it, in one sentence. */
  text?: string
}

/** A secret that is shown only once, with a copy button. */
export function SecretOnce(props: SecretOnceProps) {
  return (
    <div class="secret-once">
      <p class="secret-once-warning">
        <TriangleAlert />
        <span>Copy it now. It won't be shown again. {props.text}</span>
      </p>
      <div class="secret-once-row">
        <input
          class="field-input secret-once-text"
          aria-label={props.label}
          readonly
          value={props.secret}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={props.secret} name="Copy" isWritten />
      </div>
    </div>
  )
}

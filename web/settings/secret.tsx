import TriangleAlert from 'lucide-solid/icons/triangle-alert'
import type { JSX } from 'solid-js'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'

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
    <div class="stack-tight">
      <p class="notice secret-warning">
        <TriangleAlert />
        <span>Copy it now. It won't be shown again. {props.text}</span>
      </p>
      <div class="secret-row">
        <input
          class="field-input mono"
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

interface SecretDialogProps {
  isOpen: boolean
  /** There is no other way to close it: the agent confirms that the secret is saved. */
  onDone: () => void
  title: string
  size?: 'wide'
  /** A link before the button. */
  beside?: JSX.Element
  children: JSX.Element
}

/** Shows a new secret. */
export function SecretDialog(props: SecretDialogProps) {
  return (
    <Dialog
      isOpen={props.isOpen}
      title={props.title}
      size={props.size}
      footer={
        <>
          {props.beside}
          <Button look="primary" onClick={() => props.onDone()}>
            I've saved it
          </Button>
        </>
      }
    >
      {props.children}
    </Dialog>
  )
}

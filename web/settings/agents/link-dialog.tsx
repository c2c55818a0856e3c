import type { Agent } from '../../api/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LocalAddress } from '../local-address.tsx'
import { SecretOnce } from '../secret-once.tsx'
import { shortTime } from '../timestamp.tsx'

export interface ShownLink {
  agent: Pick<Agent, 'name'>
  url: string
  expiresAt: string
  purpose: 'invitation' | 'reset'
}

/** Shows a one-time link to choose a password, for an administrator to send. */
export function LinkDialog(props: { link: ShownLink | undefined; onClose: () => void }) {
  return (
    <Dialog
      isOpen={props.link !== undefined}
      title={props.link?.purpose === 'reset' ? 'Password reset link' : 'Invitation link'}
      description={
        props.link &&
        `Send this to ${props.link.agent.name} privately. Anyone with the link can set the password, once.`
      }
      size="wide"
      footer={
        <Button look="primary" onClick={() => props.onClose()}>
          Done
        </Button>
      }
    >
      <div class="stack-tight">
        <LocalAddress url={props.link?.url ?? ''} what="This link" />
        <SecretOnce label="Link" secret={props.link?.url ?? ''} />
        <p class="muted small">
          Expires {props.link && shortTime(props.link.expiresAt)}. Creating a new link cancels this one.
        </p>
      </div>
    </Dialog>
  )
}

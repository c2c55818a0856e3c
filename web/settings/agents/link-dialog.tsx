import type { Agent } from '../../api/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { exactTime } from '../../ui/relative-time.tsx'
import { SecretOnce } from '../secret-once.tsx'

export interface ShownLink {
  agent: Pick<Agent, 'name'>
  url: string
  expiresAt: string
  purpose: 'invitation' | 'reset'
}

/** A link by which somebody chooses a password, to be passed on. */
export function LinkDialog(props: { link: ShownLink | undefined; onClose: () => void }) {
  return (
    <Dialog
      isOpen={props.link !== undefined}
      title={props.link?.purpose === 'reset' ? 'Password reset link' : 'Invitation link'}
      description={
        props.link &&
        `Give it to ${props.link.agent.name}, by chat or in person. Whoever has it can choose the password, once.`
      }
      size="wide"
      footer={
        <Button look="primary" onClick={() => props.onClose()}>
          Done
        </Button>
      }
    >
      <div class="stack-tight">
        <SecretOnce label="Link" secret={props.link?.url ?? ''} />
        <p class="muted small">
          It works until {props.link && exactTime(props.link.expiresAt)}. A newer link ends this one.
        </p>
      </div>
    </Dialog>
  )
}

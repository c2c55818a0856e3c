import { useKeys } from '../../keyboard/keys.ts'
import { sendChoice } from './send-choice.ts'

interface ComposerKeysInput {
  isNote: () => boolean
  hasFocus: () => boolean
  onSend: () => void
  onSendAndNext: () => void
  onLeave: () => void
}

/** The keys that work while somebody writes. */
export function useComposerKeys({
  isNote,
  hasFocus,
  onSend,
  onSendAndNext,
  onLeave,
}: ComposerKeysInput): void {
  useKeys(() => [
    {
      id: 'ticket.send',
      label: isNote() ? 'Add the note' : sendChoice().label,
      section: 'Reply',
      keys: ['mod+enter'],
      isForFields: true,
      isEnabled: hasFocus,
      run: onSend,
    },
    {
      id: 'ticket.send-next',
      label: isNote() ? 'Add the note and open the next ticket' : 'Send, resolve, open the next ticket',
      section: 'Reply',
      keys: ['mod+shift+enter'],
      isForFields: true,
      isEnabled: hasFocus,
      run: onSendAndNext,
    },
    {
      id: 'ticket.leave-field',
      label: 'Leave the field, keep the draft',
      section: 'Reply',
      keys: ['escape'],
      isForFields: true,
      isKeyOnly: true,
      isEnabled: hasFocus,
      run: onLeave,
    },
  ])
}

import { useKeys } from '../../keyboard/keys.ts'
import { sendChoice } from './send-button.tsx'

interface ComposerKeysInput {
  isNote: () => boolean
  hasFocus: () => boolean
  onSend: () => void
  onSendAndNext: () => void
  onLeave: () => void
}

/** The keys that work in the field. */
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
      label: isNote() ? 'Add note' : sendChoice().label,
      section: 'Reply',
      keys: ['mod+enter'],
      isForFields: true,
      isEnabled: hasFocus,
      run: onSend,
    },
    {
      id: 'ticket.send-next',
      label: isNote() ? 'Add note and next' : 'Send, resolve and next',
      section: 'Reply',
      keys: ['mod+shift+enter'],
      isForFields: true,
      isEnabled: hasFocus,
      run: onSendAndNext,
    },
    {
      id: 'ticket.leave-field',
      label: 'Close reply (draft is kept)',
      section: 'Reply',
      keys: ['escape'],
      isForFields: true,
      isKeyOnly: true,
      isEnabled: hasFocus,
      run: onLeave,
    },
  ])
}

import { onCleanup } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { keyComboOf } from '../../keyboard/key-combo.ts'
import { actionsIn, useKeys } from '../../keyboard/keys.ts'

/** On the keyboard of a phone, Shift+Enter can't be typed. */
const HAS_NO_SHIFT = matchMedia('(pointer: coarse)').matches

/** Enter in the composer sends, for agents who turned that on. Shift+Enter begins a line. */
export function useSendByEnter(onSend: () => void): void {
  const session = useSession()
  const isOn = () => session().agent.sendsByEnter && !HAS_NO_SHIFT
  /** Null if Enter isn't to send. */
  const fieldOf = (event: KeyboardEvent) =>
    isOn() && keyComboOf(event) === 'enter' && event.target instanceof Element
      ? event.target.closest<HTMLElement>('.composer-field')
      : null

  /** Runs first, so that the field doesn't begin a line. */
  function keepFromField(event: KeyboardEvent) {
    if (fieldOf(event)) event.preventDefault()
  }
  /** Runs last, when the field has passed on everything that was typed. */
  function send(event: KeyboardEvent) {
    const field = fieldOf(event)
    if (!field || event.repeat) return
    onSend()
    // The next key is for the next message.
    field.focus()
  }
  addEventListener('keydown', keepFromField, { capture: true })
  addEventListener('keydown', send)
  onCleanup(() => {
    removeEventListener('keydown', keepFromField, { capture: true })
    removeEventListener('keydown', send)
  })

  // Only for the list of shortcuts.
  const listed = { id: 'ticket.send-by-enter', label: 'Send', keys: ['enter'], isEnabled: () => false }
  useKeys(() => actionsIn('Reply', isOn() ? [{ ...listed, run: onSend, isKeyOnly: true }] : []))
}

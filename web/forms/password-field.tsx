import Eye from 'lucide-solid/icons/eye'
import EyeOff from 'lucide-solid/icons/eye-off'
import { createSignal, type JSX, Show } from 'solid-js'
import { IconButton } from '../ui/icon-button.tsx'
import { TextField } from '../ui/text-field.tsx'

interface PasswordFieldProps {
  label: string
  /** What the button shows and hides; "password" by default. */
  secret?: string
  value: string
  onInput: (value: string) => void
  /** Tells password managers to fill in a password or to create one. */
  autocomplete: 'current-password' | 'new-password'
  error?: string
  /** In place of the rule for new passwords. */
  hint?: JSX.Element
  isOptional?: boolean
  placeholder?: string
  ref?: (input: HTMLInputElement) => void
  name?: string
}

/** A password input with a show button and a Caps Lock warning. */
export function PasswordField(props: PasswordFieldProps) {
  const [isShown, setShown] = createSignal(false)
  const [isCapsLock, setCapsLock] = createSignal(false)
  const readCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <TextField
      label={props.label}
      name={props.name ?? 'password'}
      type={isShown() ? 'text' : 'password'}
      value={props.value}
      onInput={props.onInput}
      autocomplete={props.autocomplete}
      spellcheck={false}
      autocapitalize="off"
      required={!props.isOptional}
      placeholder={props.placeholder}
      maxLength={1000}
      hint={props.hint ?? (props.autocomplete === 'new-password' ? 'At least 10 characters.' : undefined)}
      error={props.error}
      ref={props.ref}
      aside={isCapsLock() ? 'Caps Lock is on' : undefined}
      onKeyDown={readCapsLock}
      onKeyUp={readCapsLock}
      onBlur={() => setCapsLock(false)}
      action={
        <IconButton
          name={`${isShown() ? 'Hide' : 'Show'} ${props.secret ?? 'password'}`}
          size="small"
          onClick={() => setShown(!isShown())}
        >
          <Show when={isShown()} fallback={<Eye />}>
            <EyeOff />
          </Show>
        </IconButton>
      }
    />
  )
}

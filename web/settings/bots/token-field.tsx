import { PasswordField } from '../../forms/password-field.tsx'

interface TokenFieldProps {
  label: string
  hint: string
  value: string
  onInput: (token: string) => void
  error: string | undefined
}

/** The token of a bot. Anyone who has it controls the bot, so it is hidden like a password. */
export function TokenField(props: TokenFieldProps) {
  return (
    <PasswordField
      label={props.label}
      name="bot-token"
      secret="token"
      autocomplete="new-password"
      placeholder="123456789:AAH…"
      hint={props.hint}
      value={props.value}
      onInput={props.onInput}
      {...(props.error && { error: props.error })}
    />
  )
}

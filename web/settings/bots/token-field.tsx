import type { ComponentProps } from 'solid-js'
import { PasswordField } from '../../forms/password-field.tsx'

/** The token of a bot. Anyone who has it controls the bot, so it is hidden like a password. */
export function TokenField(props: Omit<ComponentProps<typeof PasswordField>, 'autocomplete'>) {
  return (
    <PasswordField
      {...props}
      name="bot-token"
      secret="token"
      autocomplete="new-password"
      placeholder="123456789:AAH…"
    />
  )
}

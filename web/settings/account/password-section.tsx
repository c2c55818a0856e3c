import { useMutation } from '@tanstack/solid-query'
import { createSignal } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { askBeforeLeaving } from '../../browser/unsaved-warning.ts'
import { CardForm } from '../../forms/form.tsx'
import { PasswordField } from '../../forms/password-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Section } from '../page-layout.tsx'

/** Changes the password. Asks for the current one. */
export function PasswordSection() {
  const session = useSession()
  const [current, setCurrent] = createSignal('')
  const [next, setNext] = createSignal('')
  const change = useMutation(() => ({
    mutationFn: () => ask(api.console.password.post({ current: current(), password: next() })),
    onSuccess: () => {
      setCurrent('')
      setNext('')
      void queries.invalidateQueries({ queryKey: queryKeys.sessions })
      toast('Password changed. Other devices were signed out.')
    },
  }))
  // Only the new one counts: the browser may have filled in the current one.
  askBeforeLeaving(() => next() !== '')
  return (
    <Section title="Password" text="Changing it signs you out everywhere else.">
      <CardForm
        save={change}
        fields={['current', 'password']}
        action="Change password"
        isUnchanged={!current() || !next()}
      >
        {/* Tells password managers whose password it is. */}
        <input
          hidden
          type="text"
          name="email"
          autocomplete="username"
          value={session().agent.email}
          readonly
        />
        <div class="form-columns">
          <PasswordField
            label="Current password"
            autocomplete="current-password"
            name="current"
            value={current()}
            onInput={setCurrent}
            error={fieldError(change.error, 'current')}
          />
          <PasswordField
            label="New password"
            autocomplete="new-password"
            name="password"
            value={next()}
            onInput={setNext}
            error={fieldError(change.error, 'password')}
          />
        </div>
      </CardForm>
    </Section>
  )
}

import { useNavigate } from '@solidjs/router'
import { useQueryClient } from '@tanstack/solid-query'
import { createMemo, createSignal, type JSX, onCleanup, Show } from 'solid-js'
import { ApiProblem, errorMessage } from '../api/api-problem.ts'
import { type SessionData, sessionQuery } from '../api/session.ts'
import type { AnyForm } from '../forms/create-form.ts'
import { FormBody } from '../forms/form.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { TextField } from '../ui/text-field.tsx'

const SECOND_MS = 1_000

interface CredentialsFormProps {
  form: Pick<AnyForm, 'submit' | 'error'>
  /** The name of the field that has the focus at first. */
  focusOn?: string | undefined
  /** The text of the button, a verb: "Sign in". */
  action: string
  children: JSX.Element
}

/** A form that begins a session, with its fields. */
export function CredentialsForm(props: CredentialsFormProps) {
  return (
    <FormBody form={props.form} class="stack" focusOn={props.focusOn}>
      {props.children}
      <SignInError error={props.form.error()} />
      <Button look="primary" type="submit" isBusy={props.form.submit.isPending}>
        {props.action}
      </Button>
    </FormBody>
  )
}

interface AgentNameFieldProps {
  value: string
  onInput: (name: string) => void
  error: string | undefined
}

/** The name of the agent who joins. */
export function AgentNameField(props: AgentNameFieldProps) {
  return (
    <TextField
      {...props}
      label="Your name"
      name="name"
      hint="Shown to customers on your replies."
      autocomplete="name"
      required
    />
  )
}

/** What shows the pages of a new session, by default the inbox. */
export function useSignedIn(target = () => '/inbox'): (session: SessionData) => void {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (session) => {
    queries.setQueryData(sessionQuery.queryKey, session)
    navigate(target(), { replace: true })
  }
}

/** Why sign-in failed. Errors of single fields are shown at the fields instead. */
export function SignInError(props: { error: unknown }) {
  const isShownAtFields = () => props.error instanceof ApiProblem && props.error.errors.length > 0
  const wait = () => (props.error instanceof ApiProblem ? props.error.retryAfter : undefined)
  return (
    <Show when={props.error && !isShownAtFields()}>
      <Show when={wait()} keyed fallback={<ErrorText>{errorMessage(props.error)}</ErrorText>}>
        {(seconds) => <TooManyAttempts seconds={seconds} />}
      </Show>
    </Show>
  )
}

function TooManyAttempts(props: { seconds: number }) {
  const endsAt = Date.now() + props.seconds * SECOND_MS
  const [left, setLeft] = createSignal(props.seconds)
  const timer = setInterval(() => setLeft(Math.ceil((endsAt - Date.now()) / SECOND_MS)), SECOND_MS)
  onCleanup(() => clearInterval(timer))
  const text = createMemo(() => (left() > 0 ? `Try again in ${duration(left())}.` : 'You can try again now.'))
  return <ErrorText>Too many attempts. {text()}</ErrorText>
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} second${seconds === 1 ? '' : 's'}`
  const minutes = Math.ceil(seconds / 60)
  return `${minutes} minute${minutes === 1 ? '' : 's'}`
}

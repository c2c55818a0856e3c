import { createMemo, createSignal, onCleanup, Show } from 'solid-js'
import { ApiProblem, errorMessage } from '../api/api-problem.ts'
import { ErrorText } from '../ui/error-text.tsx'

const SECOND_MS = 1_000

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
